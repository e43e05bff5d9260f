import { checkConformance } from 'messaging-automation/conformance';
import { specGapChoices } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { otherDeployments, testEnds, testLateRefusals, testSpecGaps } from './matrices.js';
import { deploy } from './support/deployment.js';

testSpecGaps(otherDeployments);
testLateRefusals([0, 1, 2, 3, 4, 5, 6]);
// Every eleventh request of about a hundred, so that the end comes in each part of a run.
testEnds(Array.from({ length: 9 }, (_, index) => 2 + index * 11));

test('the reference server retries a delivery that gets a response too late', async () => {
  await using deployment = await deploy({}, { deliveryTimeout: '2s' });
  const { deliveries, ...options } = deployment.options;
  const { totals } = await checkConformance({
    ...options,
    deliveries: deliveries && { ...deliveries, lateResponse: true },
  });

  expect(totals).toMatchObject({ broken: 0, not_checked: 0 });
});

const choices = Object.entries(specGapChoices).flatMap(([name, [, ...others]]) =>
  others.map((value): [string, string | number] => [name, value]),
);

test.each(choices)('breaks nothing where %s is %s, and sees each endpoint', async (name, value) => {
  await using deployment = await deploy(Object.fromEntries([[name, value]]));
  const { totals, uncheckedEndpoints } = await checkConformance(deployment.options);

  expect(totals.broken).toBe(0);
  // An error without a code does not show that a send to nobody was refused for that reason.
  const hasNoCode = name === 'errorBody' && (value === 'html' || value === 'empty');
  expect(uncheckedEndpoints).toEqual(hasNoCode ? ['POST /v1/transactional'] : []);
});
