import { checkConformance } from 'messaging-automation/conformance';
import { expect, test } from 'vitest';
import { deploy } from './support/deployment.js';
import { allFaults, rememberOtherKey } from './support/faults.js';
import { breakingProxy, type Fault } from './support/proxy.js';

let apiKey = '';
const faults = allFaults(() => apiKey);

async function reportOn(fault: Fault) {
  await using deployment = await deploy();
  await using proxy = await breakingProxy(deployment.options.baseUrl, fault, deployment.atEndOfWait);
  apiKey = deployment.options.apiKey;
  rememberOtherKey(deployment.options.otherApiKey ?? '');
  return await checkConformance({ ...deployment.options, baseUrl: proxy.baseUrl });
}

test('the proxy alone breaks nothing', async () => {
  const { totals } = await reportOn({});

  expect(totals).toMatchObject({ broken: 0, not_checked: 0 });
});

test.each(faults.map(({ breaks, by, fault }) => [breaks, by, fault] as const))(
  'exactly this is broken: %s -- by %s',
  async (breaks, _by, fault) => {
    const { checks } = await reportOn(fault());
    const broken = checks.filter(({ verdict }) => verdict === 'broken');

    expect(broken.map(({ section, statement }) => `${section} ${statement}`)).toEqual([breaks]);
  },
);

test('every statement has a fault that breaks it', async () => {
  const { checks } = await reportOn({});
  const held = checks.filter(({ verdict }) => verdict === 'held');
  const statements = held.map(({ section, statement }) => `${section} ${statement}`);

  expect([...new Set(faults.map(({ breaks }) => breaks))].sort()).toEqual(statements.sort());
});
