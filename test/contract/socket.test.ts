import { describeContract } from './suite.js';
import { createSocketWorld } from './worlds/socket.js';

describeContract(createSocketWorld);
