import { describeContract } from './suite.js';
import { createBridgedWorld } from './worlds/bridged.js';

describeContract(createBridgedWorld);
