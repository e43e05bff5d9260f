import { describeMatrix } from '../support/matrix.js';
import { lambdaEnvironments } from './environments.js';

describeMatrix('Lambda adapter', lambdaEnvironments);
