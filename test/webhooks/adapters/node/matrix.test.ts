import { describeMatrix } from '../support/matrix.js';
import { nodeSubjects } from './subjects.js';

describeMatrix('Adapter × fault: Node', nodeSubjects);
