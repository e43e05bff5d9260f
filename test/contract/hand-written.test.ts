import { describeContract } from './suite.js';
import { createHandWrittenWorld } from './worlds/hand-written.js';

describeContract(createHandWrittenWorld);
