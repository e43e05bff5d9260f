import { checkConformance } from 'messaging-automation/conformance';
import type { SpecGaps } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { notHeld, otherDeployments, testSpecGaps } from './matrices.js';
import { deploy } from './support/deployment.js';

// matrices.nightly.test.ts has all of them.
testSpecGaps(otherDeployments.filter(([gaps]) => gaps.errorBody === 'text' || gaps.retriedBody));

test.each<[SpecGaps['errorBody'], string]>([
  ['html', 'a body that is not JSON (text/html)'],
  ['empty', 'no body'],
])('an error body that is %s breaks nothing; only the codes cannot be seen', async (errorBody, shown) => {
  await using deployment = await deploy({ errorBody });
  const { checks, totals } = await checkConformance(deployment.options);
  const unchecked = notHeld({ checks });

  expect(totals.broken).toBe(0);
  for (const { seen } of unchecked) {
    expect(seen).toMatch(/^it needs an error body that shows its code; seen was 4\d\d, /);
    expect(seen.endsWith(shown)).toBe(true);
  }
  expect(unchecked.map(({ statement }) => statement)).toEqual([
    'POST /v1/transactional: 402 quota_exceeded',
    'POST /v1/transactional: 404 not_found for a phone that no contact has',
    'send_failed: the template is not approved',
    'send_failed: bad variables',
    'send_failed: an issue of the provider',
  ]);
});

test.each<SpecGaps['retryBackoff'][]>([[['100ms', '100ms']], [['0s', '1s']]])(
  'a backoff of at least 0.1 s is one: %j',
  async (retryBackoff) => {
    await using deployment = await deploy({ retryBackoff });
    expect(notHeld(await checkConformance(deployment.options))).toEqual([]);
  },
);
