import { undiciTransport } from 'messaging-automation/undici';
import { faultMatrix } from '../client/support/fault-matrix.js';

faultMatrix({ transport: undiciTransport() });
