import { describeReplicas } from './replicas.js';
import { valuesBetween } from './variants.js';

// Replicas share the code of the gaps: contract.service.test.ts has all their last values, and this all others.
describeReplicas(valuesBetween);
