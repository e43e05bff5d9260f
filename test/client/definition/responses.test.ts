import { type ClientOptions, type Drift, defineWorkspace, UnusableResponseError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { reply } from '../support/behaviours.js';
import { phone } from '../support/samples.js';
import { clientOf, rejection, startService } from '../support/service.js';
import { schemaOf } from './support.js';

const workspace = defineWorkspace({
  properties: {
    firstName: z.string().trim(),
    visits: z.coerce.number(),
    interests: z.array(z.string()),
    plan: z.enum(['free', 'pro']).default('free'),
    faulty: schemaOf<string>(() => {
      throw new Error('a fault of the schema');
    }),
    slow: schemaOf<string>(async (value) =>
      typeof value === 'string' && value.startsWith('s') ? { value } : { issues: [{ message: `${value}` }] },
    ),
  },
});

/** A client of a service that responds with these properties, and the drift that it reports. */
async function responded(properties: unknown, options: ClientOptions = {}) {
  const drifts: Drift[] = [];
  const onDrift = (drift: Drift) => drifts.push(drift);
  const service = await startService(reply(200, { id: 'c1', properties }));
  const { contacts } = clientOf(service, { onDrift, ...options, workspace });
  return { contacts, drifts };
}

test.each<[string, object]>([
  ['what its schemas have written', { firstName: 'Ada', visits: 3, interests: ['chess'], plan: 'pro' }],
  ['nothing but a phone', { phone }],
  ['what an asynchronous schema takes', { slow: 'sure' }],
])('a contact with %s comes as it is, without drift', async (_, properties) => {
  const { contacts } = await responded(properties, { validation: 'strict' });

  expect((await contacts.get('c1')).properties).toEqual(properties);
});

describe.each([
  ['a value that its schema refuses', { plan: 'gold' }, 'properties.plan'],
  ['one that its schema makes another of', { visits: '3' }, 'properties.visits'],
  ['an array in which one is of another kind', { interests: ['chess', ''], plan: 'none' }, 'properties.plan'],
  ['one that makes its schema throw', { faulty: 'x' }, 'properties.faulty'],
  ['one that an asynchronous schema refuses', { slow: 'quick' }, 'properties.slow'],
] as const)('%s', (_, properties, field) => {
  test('is drift: it comes as it is, and is reported without the value', async () => {
    const { contacts, drifts } = await responded(properties);

    expect((await contacts.find(phone))?.properties).toEqual(properties);
    expect((await contacts.get('c1')).properties).toEqual(properties);
    expect((await contacts.upsert({ phone })).properties).toEqual(properties);
    expect((await contacts.update('c1', { properties: {} }))?.properties).toEqual(properties);
    expect(drifts.map(({ operation }) => operation)).toEqual([
      'contacts.find',
      'contacts.get',
      'contacts.upsert',
      'contacts.update',
    ]);
    for (const { problems } of drifts) expect(problems.map((problem) => problem.field)).toEqual([field]);
    expect(JSON.stringify(drifts)).not.toMatch(/gold|quick/);
  });

  test("fails with 'strict', after the request was carried out", async () => {
    const { contacts } = await responded(properties, { validation: 'strict' });
    const error = await rejection(contacts.upsert({ phone }));

    expect(error).toBeInstanceOf(UnusableResponseError);
    expect(error).toMatchObject({ outcome: 'unknown', retryable: false, attempts: 1, problems: [{ field }] });
  });

  test("is not looked for with 'off'", async () => {
    const { contacts, drifts } = await responded(properties, { validation: 'off' });

    expect((await contacts.get('c1')).properties).toEqual(properties);
    expect(drifts).toEqual([]);
  });
});

test('a response that differs from the contract is reported once, for that', async () => {
  const { contacts, drifts } = await responded({ plan: null });
  await contacts.get('c1');

  expect(drifts.map(({ problems }) => problems.length)).toEqual([1]);
});
