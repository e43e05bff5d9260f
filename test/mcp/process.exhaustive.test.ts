import { repositoryFile } from '../repository.js';
import { describeProcess } from './process-cases.js';

// What the build makes of it.
describeProcess([repositoryFile('dist/cli.js')]);
