import { describeMatrix } from '../support/matrix.js';
import { lambdaSubjects } from './subject.js';

describeMatrix('Lambda adapter', lambdaSubjects);
