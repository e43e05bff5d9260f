import { describeReplicas } from './replicas.js';
import { allAtOnce, defaults } from './variants.js';

// contract.exhaustive.test.ts has each gap by itself in one process, and contract.nightly.test.ts the values between these.
describeReplicas([defaults, allAtOnce]);
