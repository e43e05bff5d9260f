import { type ConformanceOptions, checkConformance } from 'messaging-automation/conformance';
import { expect, test } from 'vitest';
import { fictionalPhone } from '../../src/conformance/options.js';
import { deploy } from './support/deployment.js';

const right: ConformanceOptions = { baseUrl: 'http://127.0.0.1:1/api', apiKey: 'canary_key' };
const send = { phone: '+15551234567', templateId: 'order_update' };

test.each<[string, Partial<ConformanceOptions>]>([
  ['baseUrl', { baseUrl: 'https://user:canary@messaging.example.com/api' }],
  ['baseUrl', { baseUrl: 'https://messaging.example.com/api?key=canary' }],
  ['send.phone', { send: { ...send, phone: '555canary' } }],
])('a wrong %s is refused before anything is asked, and is not shown', async (name, wrong) => {
  const refusal = checkConformance({ ...right, ...wrong });

  await expect(refusal).rejects.toThrow(name);
  await expect(refusal).rejects.not.toThrow('canary');
});

test('phones are drawn from the range that is reserved for fiction', () => {
  for (const random of [0, 0.123, 0.5, 0.987, 1 - Number.EPSILON]) {
    expect(fictionalPhone(() => random)).toMatch(/^\+1[2-9]{3}55501\d\d$/);
  }
});

test('onCheck gets each check of the report', async () => {
  await using deployment = await deploy();
  const told: string[] = [];
  const { checks } = await checkConformance({
    ...deployment.options,
    onCheck: ({ section, statement }) => told.push(`${section} ${statement}`),
  });

  expect(told.sort()).toEqual(checks.map(({ section, statement }) => `${section} ${statement}`).sort());
});

test('deliveries that cannot be provoked are not checked, and it is said why', async () => {
  await using deployment = await deploy();
  const deliveries = {
    provoke: () => {
      throw new Error('nobody writes');
    },
  };
  const { checks, totals } = await checkConformance({ ...deployment.options, deliveries });

  expect(totals.broken).toBe(0);
  expect(checks.find(({ statement }) => statement.startsWith('message.received: a contact'))?.seen).toBe(
    'it needs deliveries that can be provoked: nobody writes',
  );
});
