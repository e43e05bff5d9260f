import { describeReplicas } from './replicas.js';
import { allAtOnce, defaults } from './variants.js';

// contract.exhaustive.test.ts has each switch by itself, and the values between these.
describeReplicas([defaults, allAtOnce]);
