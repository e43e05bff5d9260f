import { describeMatrix } from '../support/matrix.js';
import { nextPagesSubject } from './subject.js';

describeMatrix('Next.js pages adapter', [nextPagesSubject]);
