import { InvalidInputError, MessagingAutomation } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { reply } from './support/behaviours.js';
import { phone, untyped } from './support/samples.js';
import { clientOf, rejection, startService } from './support/service.js';

const baseUrl = 'http://127.0.0.1:9/api';
const { contacts, events, templates, transactional, webhooks } = new MessagingAutomation({
  apiKey: 'key',
  baseUrl,
});

const upsert = (input: unknown) => contacts.upsert(untyped(input));
const send = (more: object) => transactional.send(untyped({ phone, templateId: 't', ...more }));
const track = (more: object) => events.track(untyped({ event: 'e', ...more }));
const create = (url: string, types: readonly unknown[] = ['message.received']) =>
  webhooks.create({ url, events: untyped(types) });

/** Wrong inputs, by the fields that the error is to name. */
const wrongInputs: readonly [string, string, () => Promise<unknown>][] = [
  ['', 'no input', () => upsert(undefined)],
  ['phone', 'a phone that is not E.164', () => upsert({ phone: '555 1234' })],
  ['properties.a', 'a nested property', () => upsert({ phone, properties: { a: {} } })],
  ['properties.a', 'NaN as a property', () => upsert({ phone, properties: { a: Number.NaN } })],
  ['phone', 'an unencoded phone to find', () => contacts.find(phone.replace('+', ' '))],
  ['id', 'an empty id', () => contacts.get('')],
  ['properties,id', 'a wrong id and wrong properties', () => contacts.update('..', untyped({}))],
  ['templateId', 'no template', () => send({ templateId: undefined })],
  ['variables.1', 'a variable that is no string', () => send({ variables: { 1: 2 } })],
  ['variables.name', 'a variable that has no number', () => send({ variables: { name: 'Ada' } })],
  ['contactId', 'neither contactId nor phone', () => track({})],
  ['contactId', 'both contactId and phone', () => track({ contactId: 'c', phone })],
  ['properties.a', 'a BigInt in an event', () => track({ phone, properties: { a: 1n } })],
  [
    'properties.lines[0].a',
    'NaN in an event',
    () => track({ phone, properties: { lines: [{ a: Number.NaN }] } }),
  ],
  ['events[0]', 'an unknown event type', () => create('https://a.b', ['x'])],
  ['url', 'a url of another kind', () => create('ftp://a.b')],
  ['url', 'a url over http to another machine', () => create('http://example.com/hooks')],
  ['signal', 'a controller for its signal', () => templates.list({ signal: untyped(new AbortController()) })],
];

test.each(wrongInputs)('names "%s" for %s, and sends nothing', async (fields, _, call) => {
  const error = await rejection(call());

  if (!(error instanceof InvalidInputError)) throw error;
  expect(error.problems.map(({ field }) => field).join()).toBe(fields);
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
    const service = await startService(reply(200, { success: true }));
    const input = { phone, templateId: 't', variables: { '1': 'Ada' }, scheduledFor: '2027-01-01' };
    await clientOf(service).transactional.send(input);

    expect(service.requests[0]?.body).toBe(JSON.stringify(input));
  });

  test('is a subscription to this machine, or over http where that was asked for', async () => {
    const service = await startService(reply(201, { id: 'w1' }));
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
      reply(200, { success: true, accepted: true, id: 'c', properties: {} }),
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
    const service = await startService(reply(200, { id: 'c', properties: {} }));
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
