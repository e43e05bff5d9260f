import { nodeHttp } from './environments.js';
import { describeReaders } from './matrix.js';
import { readersOfStream } from './readers.js';

describeReaders([nodeHttp], readersOfStream);
