import { bundle } from '../run/bundle.js';
import { describeProcess } from './process-cases.js';

describeProcess([await bundle({ file: 'src/cli/main.ts' })]);
