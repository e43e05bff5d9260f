import { checkConformance } from 'messaging-automation/conformance';
import { expect, test } from 'vitest';
import { otherDeployments, testEnds, testLateRefusals, testSpecGaps } from './matrices.js';
import { deploy } from './support/deployment.js';

testSpecGaps(otherDeployments);
testLateRefusals([0, 1, 2, 3, 4, 5, 6]);
// Every eleventh request of about a hundred, so that the end comes in each part of a run.
testEnds(Array.from({ length: 9 }, (_, index) => 2 + index * 11));

test('the reference server retries a delivery that is answered too late', async () => {
  await using deployment = await deploy({}, { deliveryTimeout: '2s' });
  const { deliveries, ...options } = deployment.options;
  const { totals } = await checkConformance({
    ...options,
    deliveries: deliveries && { ...deliveries, lateAnswer: true },
  });

  expect(totals).toMatchObject({ broken: 0, not_checked: 0 });
});
