import { describeMatrix } from '../support/matrix.js';
import { bridgedEnvironment, fetchEnvironment, honoEnvironment } from './environments.js';

describeMatrix('Fetch adapters', [fetchEnvironment, bridgedEnvironment, honoEnvironment]);
