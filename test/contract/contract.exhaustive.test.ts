import { createInProcessEnvironment } from './environments/in-process.js';
import { describeContract } from './suite.js';
import { variants } from './variants.js';

for (const { name, specGaps } of variants) {
  describeContract(`with ${name}`, createInProcessEnvironment(specGaps), specGaps);
}
