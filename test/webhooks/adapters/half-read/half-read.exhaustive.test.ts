import {
  environmentsOfStream,
  fetchBridged,
  fetchOnNode,
  hono,
  honoStream,
  nodeHttp,
} from './environments.js';
import { describeReaders } from './matrix.js';
import { readersOfRequest, readersOfStream } from './readers.js';

describeReaders([...environmentsOfStream, honoStream], readersOfStream);
describeReaders([hono, fetchOnNode, fetchBridged], readersOfRequest);
describeReaders([nodeHttp], readersOfStream, 'chunked');
