import { describeMatrix } from '../support/matrix.js';
import { furtherNodeSubjects } from './further-subjects.js';

describeMatrix('Adapter × fault: further frameworks of Node', furtherNodeSubjects);
