import { describeMatrix } from '../support/matrix.js';
import { furtherFetchSubjects } from './further-subjects.js';

describeMatrix('Adapter × fault: further frameworks of Fetch', furtherFetchSubjects);
