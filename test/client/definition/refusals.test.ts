import { defineWorkspace, InvalidInputError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { reply } from '../support/behaviours.js';
import { apiKey, phone, unserved, untyped } from '../support/samples.js';
import { clientOf, rejection, type Service, startService } from '../support/service.js';
import { schemaOf } from './support.js';

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

const clientFor = (service: Pick<Service, 'baseUrl'>) => clientOf(service, { workspace });

type Client = ReturnType<typeof clientFor>;

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

const ordered = (more: object) => track({ ...order, ...more });
const update =
  (properties: object) =>
  ({ contacts }: Client) =>
    contacts.update('c1', { properties: untyped(properties) });
/** A send of the template `orderUpdate`, with other variables. */
const sendOrder = (changed: unknown) => send({ template: 'orderUpdate', variables: changed });

/** Wrong inputs, by the fields that the error is to name. */
const wrong: readonly [string, string, (messaging: Client) => Promise<unknown>][] = [
  ['properties.fristName', 'a misspelt property', upsert({ fristName: 'Ada' })],
  ['properties.__proto__', 'one called __proto__', upsert(JSON.parse('{"__proto__":"x"}'))],
  ['properties.firstName', 'a wrong value', upsert({ firstName: 7 })],
  ['properties.firstName,properties.city', 'several', upsert({ firstName: 7, plan: 'pro', city: 7 })],
  ['properties.taken', 'what only an asynchronous check finds', upsert({ taken: 'taken' })],
  ['properties.faulty', 'what makes the schema throw', upsert({ faulty: 'x' })],
  ['properties.silent', 'what the schema refuses without a word', upsert({ silent: 'x' })],
  ['properties.keyed.a[0].b', 'what is wrong deep inside', upsert({ keyed: [] })],
  ['properties', 'properties that are none', upsert('Ada')],
  ['', 'no input', ({ contacts }) => contacts.upsert(untyped(undefined))],
  ['properties.firstName', 'a wrong value in an update', update({ firstName: 7 })],
  ['event', 'a misspelt event', ordered({ event: 'order_plcaed' })],
  ['properties.orderId', 'wrong properties of an event', ordered({ properties: { orderId: 7 } })],
  ['contactId', 'an event of nobody', track({ event: 'cart_emptied' })],
  ['template', 'a misspelt template', send({ template: 'ordrUpdate', variables })],
  ['templateId', 'a template by name and by id', send({ template: 'welcome', templateId: 'x' })],
  ['templateId', 'neither', send({})],
  ['variables.orderNumber', 'a missing variable', sendOrder({ firstName: 'Ada' })],
  ['variables.fristName', 'a misspelt variable', sendOrder({ ...variables, fristName: 'Ada' })],
  ['variables.firstName,variables.orderNumber', 'no variables', sendOrder(undefined)],
  ['variables.name', 'a variable too many', send({ template: 'welcome', variables: { name: 'Ada' } })],
];

test.each(wrong)('names "%s" for %s, and sends nothing', async (fields, _, call) => {
  const service = await startService(reply(200, {}));
  const error = await rejection(call(clientFor(service)));

  if (!(error instanceof InvalidInputError)) throw error;
  expect(error.problems.map(({ field }) => field).join()).toBe(fields);
  expect(error).toMatchObject({ outcome: 'not_sent', retryable: false, attempts: 0 });
  expect(service.requests).toEqual([]);
});

test('a refusal says which names there are', async () => {
  const messaging = clientFor(unserved);

  expect(String(await rejection(track({ ...order, event: 'x' })(messaging)))).toContain(
    'order_placed, cart_emptied',
  );
  expect(String(await rejection(send({ template: 'x' })(messaging)))).toContain('orderUpdate, welcome');
});

test('a refusal is cleaned of what a schema quotes of the value', async () => {
  const messaging = clientFor(unserved);
  const error = await rejection(upsert({ quoting: `${phone} ${apiKey}` })(messaging));

  expect(String(error)).toContain('wrong: +***50 ***');
  expect(JSON.stringify(error)).not.toMatch(/2071838750|canary/);
});

describe('what goes out', () => {
  const contact = { id: 'c1', properties: { phone } };
  const sentOrder = { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };
  const byId = { phone, templateId: 'other', variables: { '1': 'Ada' }, scheduledFor: '2027-01-01' };

  test.each<[string, (messaging: Client) => Promise<unknown>, object]>([
    [
      'the properties given and no others, not even those with a default',
      upsert({ firstName: 'Ada' }),
      { phone, properties: { firstName: 'Ada' } },
    ],
    [
      'what the schemas make of undefined: a default, or nothing at all',
      upsert({ city: undefined, plan: undefined }),
      { phone, properties: { plan: 'free' } },
    ],
    [
      'the phone among properties that were copied from a contact',
      upsert({ ...contact.properties, city: 'London' }),
      { phone, properties: { phone, city: 'London' } },
    ],
    [
      'a send without an unknown variable that is undefined',
      sendOrder({ ...variables, fristName: undefined }),
      sentOrder,
    ],
    ['an upsert without properties as it was', ({ contacts }) => contacts.upsert({ phone }), { phone }],
    [
      'an empty object for an event whose properties were left out',
      track({ event: 'cart_emptied', phone }),
      { event: 'cart_emptied', phone, properties: {} },
    ],
    [
      'a template without placeholders, without variables',
      send({ template: 'welcome' }),
      { phone, templateId: 'welcome_2' },
    ],
    ['a template by its id as it was given, unknown fields and all', send(byId), byId],
  ])('is %s', async (_, call, body) => {
    const service = await startService(reply(200, { ...contact, accepted: true, success: true }));
    await call(clientFor(service));

    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(body);
  });

  test('is the same in bulk', async () => {
    const service = await startService(reply(200, { success: true }));
    const summary = await clientFor(service).transactional.sendMany([
      { phone, template: 'orderUpdate', variables },
    ]);

    expect(summary).toMatchObject({ done: 1, rejected: 0 });
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(sentOrder);
  });
});

test('what a workspace leaves out is free', async () => {
  const service = await startService(reply(200, { id: 'c1', properties: {}, accepted: true }));
  const messaging = clientOf(service, { workspace: defineWorkspace({ templates: {} }) });
  await messaging.contacts.upsert({ phone, properties: { anything: 'goes' } });
  await messaging.events.track({ event: 'anything', phone, properties: { goes: [{}] } });

  expect(service.requests).toHaveLength(2);
});

test('the input is read at once, so a program may change it after the call', async () => {
  const service = await startService((response, request) =>
    request.url.endsWith('/contacts')
      ? reply(201, { id: 'c1', properties: JSON.parse(request.body).properties })(response, request, 1)
      : reply(200, { success: true })(response, request, 1),
  );
  const client = clientFor(service).withOptions({ onDrift: () => {} });
  const message = { phone: '', templateId: 'order_update', variables: { '1': '' } };
  const contact = { phone: '', properties: { firstName: '' } };
  const calls: Promise<unknown>[] = [];
  for (const [index, name] of ['Ada', 'Grace'].entries()) {
    message.phone = contact.phone = `+1555123456${index}`;
    message.variables['1'] = contact.properties.firstName = name;
    calls.push(client.transactional.send(message), client.contacts.upsert(contact));
  }
  await Promise.all(calls);
  const sent = service.requests.map(({ body }) => JSON.parse(body));
  for (const [index, name] of ['Ada', 'Grace'].entries()) {
    const ofPhone = sent.filter((body) => body.phone === `+1555123456${index}`);
    expect(ofPhone.map((body) => body.variables?.['1'] ?? body.properties.firstName)).toEqual([name, name]);
  }
});
