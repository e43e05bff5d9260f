import { faultMatrix } from './support/fault-matrix.js';

faultMatrix({});
