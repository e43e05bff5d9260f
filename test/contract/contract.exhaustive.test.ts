import { createInProcessEnvironment } from './environments/in-process.js';
import { describeReplicas } from './replicas.js';
import { describeContract } from './suite.js';
import { valuesBetween, variants } from './variants.js';

for (const { name, specGaps } of variants) {
  describeContract(`with ${name}`, createInProcessEnvironment(specGaps), specGaps);
}
// Replicas share the code of the gaps: contract.service.test.ts has all their last values, and this all others.
describeReplicas(valuesBetween);
