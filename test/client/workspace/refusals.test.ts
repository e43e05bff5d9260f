import { defineWorkspace, InvalidInputError, MessagingAutomation } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { answer, apiKey, phone, rejection, type Service, startService } from '../support/service.js';
import { schemaOf, untyped } from './support.js';

const workspace = defineWorkspace({
  properties: {
    firstName: z.string(),
    city: z.string().optional(),
    plan: z.string().default('free'),
    taken: z.string().refine(async (name) => name !== 'taken', 'is taken'),
    faulty: schemaOf<string>(() => {
      throw new Error('a fault of the schema');
    }),
    silent: schemaOf<string>(() => ({ issues: [] })),
    quoting: schemaOf<string>((value) => ({ issues: [{ message: `wrong: ${value}` }] })),
    keyed: schemaOf<string[]>(() => ({ issues: [{ message: 'no', path: [{ key: 'a' }, 0, 'b'] }] })),
  },
  events: { order_placed: z.object({ orderId: z.string() }), cart_emptied: z.object({}) },
  templates: {
    orderUpdate: { id: 'order_update', variables: ['firstName', 'orderNumber'] },
    welcome: { id: 'welcome_2' },
  },
});

const clientOf = ({ baseUrl }: Pick<Service, 'baseUrl'>) =>
  new MessagingAutomation({ apiKey, baseUrl, workspace });

type Client = ReturnType<typeof clientOf>;

const order = { event: 'order_placed', phone, properties: { orderId: 'A-1001' } } as const;
const variables = { firstName: 'Ada', orderNumber: 'A-1001' };

const upsert =
  (properties: unknown) =>
  ({ contacts }: Client) =>
    contacts.upsert({ phone, properties: untyped(properties) });
const track =
  (input: unknown) =>
  ({ events }: Client) =>
    events.track(untyped(input));
const send =
  (input: object) =>
  ({ transactional }: Client) =>
    transactional.send(untyped({ phone, ...input }));

const wrong: readonly [string, readonly string[], (messaging: Client) => Promise<unknown>][] = [
  ['a misspelt property', ['properties.fristName'], upsert({ fristName: 'Ada' })],
  ['one called __proto__', ['properties.__proto__'], upsert(JSON.parse('{"__proto__":"x"}'))],
  ['one called constructor', ['properties.constructor'], upsert({ constructor: 'x' })],
  ['a wrong value', ['properties.firstName'], upsert({ firstName: 7 })],
  ['several', ['properties.firstName', 'properties.city'], upsert({ firstName: 7, plan: 'pro', city: 7 })],
  ['null', ['properties.city'], upsert({ city: null })],
  ['what only an asynchronous check finds', ['properties.taken'], upsert({ taken: 'taken' })],
  ['what makes the schema throw', ['properties.faulty'], upsert({ faulty: 'x' })],
  ['what the schema refuses without a word', ['properties.silent'], upsert({ silent: 'x' })],
  ['what is wrong deep inside', ['properties.keyed.a[0].b'], upsert({ keyed: [] })],
  ['properties that are none', ['properties'], upsert('Ada')],
  ['no input', [''], ({ contacts }) => contacts.upsert(untyped(undefined))],
  [
    'a wrong value in an update',
    ['properties.firstName'],
    ({ contacts }) => contacts.update('c1', { properties: { firstName: untyped(7) } }),
  ],
  ['a misspelt event', ['event'], track({ ...order, event: 'order_plcaed' })],
  ['an event that is no string', ['event'], track({ ...order, event: 7 })],
  ['wrong properties of an event', ['properties.orderId'], track({ ...order, properties: { orderId: 7 } })],
  ['none where there must be some', ['properties.orderId'], track({ ...order, properties: undefined })],
  ['an event of nobody', ['contactId'], track({ event: 'cart_emptied' })],
  ['a misspelt template', ['template'], send({ template: 'ordrUpdate', variables })],
  ['a template that is no string', ['template'], send({ template: 7, variables })],
  ['a template by name and by id', ['templateId'], send({ template: 'welcome', templateId: 'x' })],
  ['neither', ['templateId'], send({})],
  [
    'a missing variable',
    ['variables.orderNumber'],
    send({ template: 'orderUpdate', variables: { firstName: 'Ada' } }),
  ],
  [
    'a variable that is no string',
    ['variables.orderNumber'],
    send({ template: 'orderUpdate', variables: { ...variables, orderNumber: 7 } }),
  ],
  [
    'a misspelt variable',
    ['variables.fristName'],
    send({ template: 'orderUpdate', variables: { ...variables, fristName: 'Ada' } }),
  ],
  ['no variables', ['variables.firstName', 'variables.orderNumber'], send({ template: 'orderUpdate' })],
  ['variables that are none', ['variables'], send({ template: 'orderUpdate', variables: ['Ada'] })],
  ['a variable too many', ['variables.name'], send({ template: 'welcome', variables: { name: 'Ada' } })],
];

test.each(wrong)('%s is refused before anything is sent, naming %j', async (_, fields, call) => {
  const service = await startService(answer(200, {}));
  const error = await rejection(call(clientOf(service)));

  if (!(error instanceof InvalidInputError)) throw error;
  expect(error.problems.map(({ field }) => field)).toEqual(fields);
  expect(error).toMatchObject({ outcome: 'not_sent', retryable: false, attempts: 0 });
  expect(service.requests).toEqual([]);
});

test('what is undefined is left out, unknown names too', async () => {
  const service = await startService(answer(200, { id: 'c', properties: {}, accepted: true, success: true }));
  const messaging = clientOf(service);
  const left = undefined;
  await messaging.contacts.update('c1', { properties: { firstName: left, city: 'London' } });
  await upsert({ firstName: 'Ada', fristName: left })(messaging);
  await track({ ...order, properties: { orderId: 'A-1001', other: left } })(messaging);
  await send({ template: 'orderUpdate', variables: { ...variables, fristName: left } })(messaging);

  expect(service.requests.map(({ body }) => body)).toEqual([
    '{"properties":{"city":"London"}}',
    `{"phone":"${phone}","properties":{"firstName":"Ada"}}`,
    `{"event":"order_placed","phone":"${phone}","properties":{"orderId":"A-1001"}}`,
    `{"phone":"${phone}","templateId":"order_update","variables":{"1":"Ada","2":"A-1001"}}`,
  ]);
});

test('a refusal says which names there are', async () => {
  const messaging = clientOf({ baseUrl: 'http://127.0.0.1:9/api' });

  expect(String(await rejection(track({ ...order, event: 'x' })(messaging)))).toContain(
    'order_placed, cart_emptied',
  );
  expect(String(await rejection(send({ template: 'x' })(messaging)))).toContain('orderUpdate, welcome');
});

test('a refusal is cleaned of what a schema quotes of the value', async () => {
  const messaging = clientOf({ baseUrl: 'http://127.0.0.1:9/api' });
  const error = await rejection(upsert({ quoting: `${phone} ${apiKey}` })(messaging));

  expect(String(error)).toContain('wrong: +***50 ***');
  expect(JSON.stringify(error)).not.toMatch(/2071838750|canary/);
});

test('an abort while a schema is at work comes as its reason, and nothing is sent', async () => {
  const service = await startService(answer(200, {}));
  const controller = new AbortController();
  const call = clientOf(service).contacts.upsert(
    { phone, properties: { taken: 'free' } },
    { signal: controller.signal },
  );
  controller.abort(new Error('no longer wanted'));

  expect(await rejection(call)).toBe(controller.signal.reason);
  expect(service.requests).toEqual([]);
});

describe('what goes out', () => {
  async function bodyOf(call: (messaging: Client) => Promise<unknown>, body: object): Promise<unknown> {
    const service = await startService(answer(200, body));
    await call(clientOf(service));
    return JSON.parse(service.requests[0]?.body ?? '');
  }
  const contact = { id: 'c1', properties: { phone } };

  test('are the properties given and no others, not even those with a default', async () => {
    expect(await bodyOf(upsert({ firstName: 'Ada' }), contact)).toEqual({
      phone,
      properties: { firstName: 'Ada' },
    });
  });

  test('is what the schemas make of undefined: a default, or nothing at all', async () => {
    expect(await bodyOf(upsert({ city: undefined, plan: undefined }), contact)).toEqual({
      phone,
      properties: { plan: 'free' },
    });
  });

  test('is the phone among properties that were copied from a contact', async () => {
    expect(await bodyOf(upsert({ ...contact.properties, city: 'London' }), contact)).toEqual({
      phone,
      properties: { phone, city: 'London' },
    });
  });

  test('is an upsert without properties as it was', async () => {
    expect(await bodyOf(({ contacts }) => contacts.upsert({ phone }), contact)).toEqual({ phone });
  });

  test('is an empty object for an event whose properties were left out', async () => {
    const input = { event: 'cart_emptied', phone } as const;
    expect(await bodyOf(({ events }) => events.track(input), { accepted: true })).toEqual({
      ...input,
      properties: {},
    });
  });

  test('is a template without placeholders, without variables', async () => {
    const call = ({ transactional }: Client) => transactional.send({ phone, template: 'welcome' });
    expect(await bodyOf(call, { success: true })).toEqual({ phone, templateId: 'welcome_2' });
  });

  test('is a template by its id as without a workspace, and what is not known of it', async () => {
    const input = { phone, templateId: 'other', variables: { '1': 'Ada' }, scheduledFor: '2027-01-01' };
    const call = ({ transactional }: Client) => transactional.send(input);
    expect(await bodyOf(call, { success: true })).toEqual(input);
  });

  test('is the same in bulk', async () => {
    const service = await startService(answer(200, { success: true }));
    const summary = await clientOf(service).transactional.sendMany([
      { phone, template: 'orderUpdate', variables },
    ]);

    expect(summary).toMatchObject({ done: 1, rejected: 0 });
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({
      phone,
      templateId: 'order_update',
      variables: { '1': 'Ada', '2': 'A-1001' },
    });
  });
});

test('what a workspace leaves out is free', async () => {
  const service = await startService(answer(200, { id: 'c1', properties: {}, accepted: true }));
  const messaging = new MessagingAutomation({
    apiKey,
    baseUrl: service.baseUrl,
    workspace: defineWorkspace({ templates: {} }),
  });
  await messaging.contacts.upsert({ phone, properties: { anything: 'goes' } });
  await messaging.events.track({ event: 'anything', phone, properties: { goes: [{}] } });

  expect(service.requests).toHaveLength(2);
});
