import { describeMatrix } from '../support/matrix.js';
import { nodeEnvironments } from './environments.js';

describeMatrix('Adapter × fault: Node', nodeEnvironments);
