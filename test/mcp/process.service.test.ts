import { repositoryFile } from '../repository.js';
import { describeProcess } from './process-cases.js';

describeProcess(['--import', 'tsx', repositoryFile('src/cli/main.ts')]);
