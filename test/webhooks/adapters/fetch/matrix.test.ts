import { honoSubject } from '../hono/subject.js';
import { describeMatrix } from '../support/matrix.js';
import { bridgedSubject, fetchSubject } from './subjects.js';

describeMatrix('Fetch adapters', [fetchSubject, bridgedSubject, honoSubject]);
