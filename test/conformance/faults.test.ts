import { expect, test } from 'vitest';
import { notHeld, reportOn, testFaults } from './matrices.js';
import { deploy } from './support/deployment.js';
import { faults } from './support/faults.js';

test('the proxy alone breaks nothing, and every statement that it holds has a fault that breaks it', async () => {
  await using deployment = await deploy();
  const report = await reportOn(deployment, {});
  const held = report.checks.filter(({ verdict }) => verdict === 'held');

  expect(notHeld(report)).toEqual([]);
  expect([...new Set(faults.map(([breaks]) => breaks))].sort()).toEqual(
    held.map(({ section, statement }) => `${section} ${statement}`).sort(),
  );
});

// Some of each kind; the nightly files have all of them.
const some = [
  'an upsert that changes nothing',
  'a key that begins with it',
  'all subscriptions are deleted',
  'the body written anew',
  '4xx that is not retried',
];
testFaults(faults.filter(([, by]) => some.includes(by)));
