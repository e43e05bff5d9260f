import { InvalidInputError, MessagingAutomation } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { answer, clientOf, phone, rejection, startService } from './support/service.js';

const baseUrl = 'http://127.0.0.1:9/api';
const { contacts, events, templates, transactional, webhooks } = new MessagingAutomation({
  apiKey: 'key',
  baseUrl,
});

/** What a program without types may pass. */
function untyped<T>(value: unknown): T {
  return value as T;
}

const wrongInputs: readonly [string, readonly string[], () => Promise<unknown>][] = [
  ['no input', [''], () => contacts.upsert(untyped(undefined))],
  ['no phone', ['phone'], () => contacts.upsert(untyped({}))],
  ['a phone that is not E.164', ['phone'], () => contacts.upsert({ phone: '555 1234' })],
  ['a nested property', ['properties.a'], () => contacts.upsert({ phone, properties: untyped({ a: {} }) })],
  ['NaN as a property', ['properties.a'], () => contacts.upsert({ phone, properties: { a: Number.NaN } })],
  ['no phone to find', ['phone'], () => contacts.find(untyped(undefined))],
  ['an unencoded phone to find', ['phone'], () => contacts.find(phone.replace('+', ' '))],
  ['an empty id', ['id'], () => contacts.get('')],
  ['an id that is no string', ['id'], () => contacts.get(untyped(7))],
  ['a wrong id and wrong properties', ['properties', 'id'], () => contacts.update('..', untyped({}))],
  ['no template', ['templateId'], () => transactional.send(untyped({ phone }))],
  [
    'a variable that is no string',
    ['variables.1'],
    () => transactional.send(untyped({ phone, templateId: 't', variables: { 1: 2 } })),
  ],
  ['neither contactId nor phone', ['contactId'], () => events.track(untyped({ event: 'e' }))],
  [
    'both contactId and phone',
    ['contactId'],
    () => events.track(untyped({ event: 'e', contactId: 'c', phone })),
  ],
  [
    'a BigInt in an event',
    ['properties.a'],
    () => events.track({ event: 'e', phone, properties: { a: 1n } }),
  ],
  [
    'NaN deep in an event',
    ['properties.lines[0].total'],
    () => events.track({ event: 'e', phone, properties: { lines: [{ total: Number.NaN }] } }),
  ],
  [
    'a variable that has no number',
    ['variables.name'],
    () => transactional.send({ phone, templateId: 't', variables: { name: 'Ada' } }),
  ],
  [
    'an unknown event type',
    ['events[0]'],
    () => webhooks.create({ url: 'https://a.b', events: untyped(['x']) }),
  ],
  [
    'a url that is none',
    ['url'],
    () => webhooks.create({ url: 'example.com/hooks', events: ['message.received'] }),
  ],
  [
    'a url of another kind',
    ['url'],
    () => webhooks.create({ url: 'ftp://a.b', events: ['message.received'] }),
  ],
  [
    'a url over http to another machine',
    ['url'],
    () => webhooks.create({ url: 'http://example.com/hooks', events: ['message.received'] }),
  ],
  [
    'a controller for its signal',
    ['signal'],
    () => templates.list({ signal: untyped(new AbortController()) }),
  ],
  ['no event types', ['events'], () => webhooks.create({ url: 'https://a.b', events: [] })],
];

test.each(wrongInputs)('%s is refused before anything is sent, naming %j', async (_, fields, call) => {
  const error = await rejection(call());

  if (!(error instanceof InvalidInputError)) throw error;
  expect(error.problems.map(({ field }) => field)).toEqual(fields);
  expect(error).toMatchObject({ outcome: 'not_sent', retryable: false, attempts: 0, status: undefined });
  for (const { field, message } of error.problems)
    expect(error.message).toContain(`${field || 'the input'} ${message}`);
});

test.each(['.', '..', 'a/b', '/', 'a\\b', 'a\nb', '\0', '../contacts', '\ud800'])(
  'the id %j is refused',
  async (id) => {
    for (const call of [
      () => contacts.get(id),
      () => contacts.update(id, { properties: {} }),
      () => contacts.delete(id),
      () => webhooks.delete(id),
    ])
      expect(await rejection(call())).toMatchObject({
        name: 'InvalidInputError',
        problems: [{ field: 'id' }],
      });
  },
);

describe('what goes out', () => {
  test('is the input as it was given, unknown fields and all', async () => {
    const service = await startService(answer(200, { success: true }));
    const input = { phone, templateId: 't', variables: { '1': 'Ada' }, scheduledFor: '2027-01-01' };
    await clientOf(service).transactional.send(input);

    expect(service.requests[0]?.body).toBe(JSON.stringify(input));
  });

  test('is a subscription to this machine, or over http where that was asked for', async () => {
    const service = await startService(answer(201, { id: 'w1' }));
    const events = ['message.received'] as const;
    await clientOf(service, { validation: 'off' }).webhooks.create({
      url: 'http://localhost:3000/hooks',
      events,
    });
    const trusting = clientOf(service, { validation: 'off', allowInsecureHttp: true });
    await trusting.webhooks.create({ url: 'http://receiver:3000/hooks', events });

    expect(service.requests).toHaveLength(2);
  });

  test('leaves out what is undefined', async () => {
    const service = await startService(
      answer(200, { success: true, accepted: true, id: 'c', properties: {} }),
    );
    const messaging = clientOf(service);
    const left = untyped<string>(undefined);
    await messaging.contacts.upsert({ phone, properties: { city: undefined, firstName: 'Ada' } });
    await messaging.contacts.update('c', { properties: { city: undefined } });
    await messaging.events.track({ event: 'e', phone, properties: { order: { id: left } } });
    await messaging.transactional.send({ phone, templateId: 't', variables: { 1: 'Ada', 2: left } });

    expect(service.requests.map(({ body }) => body)).toEqual([
      `{"phone":"${phone}","properties":{"firstName":"Ada"}}`,
      '{"properties":{}}',
      `{"event":"e","phone":"${phone}","properties":{"order":{}}}`,
      `{"phone":"${phone}","templateId":"t","variables":{"1":"Ada"}}`,
    ]);
  });

  test('has ids and phones encoded', async () => {
    const service = await startService(answer(200, { id: 'c', properties: {} }));
    const messaging = clientOf(service);
    await messaging.contacts.get('a b?c#d%2e%2e:é');
    await messaging.contacts.get('%2e%2e');
    await messaging.contacts.get('$&');
    await messaging.contacts.find(phone);

    expect(service.requests.map(({ url }) => url)).toEqual([
      '/api/v1/contacts/a%20b%3Fc%23d%252e%252e%3A%C3%A9',
      '/api/v1/contacts/%252e%252e',
      '/api/v1/contacts/%24%26',
      '/api/v1/contacts/find?phone=%2B442071838750',
    ]);
  });
});
