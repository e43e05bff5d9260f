import {
  type ApiError,
  type BulkOutcome,
  type BulkRun,
  type BulkSummary,
  type CallPromise,
  type Contact,
  type CreatedWebhookSubscription,
  MessagingAutomation,
  type Outcome,
  type PropertyValue,
  RequestError,
  type SendInput,
  type SendResult,
  type Template,
  type TrackInput,
  type TrackResult,
  type UpsertContactInput,
  type WebhookSubscription,
} from 'messaging-automation';
import { describe, expectTypeOf, test } from 'vitest';

const messaging = new MessagingAutomation({ apiKey: 'key', baseUrl: 'http://127.0.0.1:9/api', retries: 0 });
const phone = '+15551234567';

/** Compiled, never run: what matters is whether it compiles. */
function compiled(_calls: () => readonly unknown[]): void {}

describe('inputs', () => {
  test('an event names its contact by contactId or by phone', () => {
    compiled(() => [
      messaging.events.track({ event: 'order_placed', phone }),
      messaging.events.track({
        event: 'order_placed',
        contactId: 'c1',
        properties: { lines: [{ sku: 'tea' }] },
      }),
      // @ts-expect-error neither
      messaging.events.track({ event: 'order_placed' }),
      // @ts-expect-error both
      messaging.events.track({ event: 'order_placed', phone, contactId: 'c1' }),
      // @ts-expect-error no event
      messaging.events.track({ phone }),
    ]);
  });

  test('a property is a string, a number, a boolean or an array of strings', () => {
    expectTypeOf<PropertyValue>().toEqualTypeOf<string | number | boolean | readonly string[]>();
    compiled(() => [
      messaging.contacts.upsert({ phone, properties: { a: 'a', b: 1, c: true, d: ['x', 'y'] } }),
      messaging.contacts.upsert({ phone, properties: undefined }),
      // @ts-expect-error nested
      messaging.contacts.upsert({ phone, properties: { a: {} } }),
      // @ts-expect-error null
      messaging.contacts.update('c1', { properties: { a: null } }),
      // @ts-expect-error no phone
      messaging.contacts.upsert({ properties: {} }),
    ]);
  });

  test('the variables of a send are strings', () => {
    compiled(() => [
      messaging.transactional.send({ phone, templateId: 't', variables: { '1': 'Ada', 2: 'A-1001' } }),
      // @ts-expect-error a number
      messaging.transactional.send({ phone, templateId: 't', variables: { '1': 7 } }),
      // @ts-expect-error no template
      messaging.transactional.send({ phone }),
    ]);
  });

  test('a subscription is to event types that can be subscribed to', () => {
    compiled(() => [
      messaging.webhooks.create({ url: 'https://a.b', events: ['contact.opted_in', 'contact.opted_out'] }),
      // @ts-expect-error not among them
      messaging.webhooks.create({ url: 'https://a.b', events: ['message.sent'] }),
    ]);
  });

  test('options are those of the client, and no others', () => {
    compiled(() => [
      messaging.templates.list({
        signal: new AbortController().signal,
        timeout: 1,
        retries: 0,
        headers: { a: 'b' },
      }),
      // @ts-expect-error not an option
      messaging.templates.list({ retry: 0 }),
      // @ts-expect-error not an option
      new MessagingAutomation({ token: 'x' }),
    ]);
  });
});

test('results', () => {
  const { contacts, transactional, events, webhooks, templates } = messaging;
  expectTypeOf(contacts.upsert).returns.toEqualTypeOf<CallPromise<Contact>>();
  expectTypeOf(contacts.find).returns.resolves.toEqualTypeOf<Contact | null>();
  expectTypeOf(contacts.get).returns.resolves.toEqualTypeOf<Contact>();
  expectTypeOf(contacts.update).returns.resolves.toEqualTypeOf<Contact | undefined>();
  expectTypeOf(contacts.delete).returns.resolves.toEqualTypeOf<void>();
  expectTypeOf(transactional.send).returns.resolves.toEqualTypeOf<SendResult>();
  expectTypeOf(events.track).returns.resolves.toEqualTypeOf<TrackResult>();
  expectTypeOf(webhooks.create).returns.resolves.toEqualTypeOf<CreatedWebhookSubscription>();
  expectTypeOf(webhooks.list).returns.resolves.toEqualTypeOf<readonly WebhookSubscription[]>();
  expectTypeOf(webhooks.delete).returns.resolves.toEqualTypeOf<void>();
  expectTypeOf(templates.list).returns.resolves.toEqualTypeOf<readonly Template[]>();
});

test('a call is a promise that can show its response', () => {
  type Shown = Awaited<ReturnType<CallPromise<Contact>['withResponse']>>;

  expectTypeOf<CallPromise<Contact>>().toExtend<Promise<Contact>>();
  expectTypeOf<Shown['data']>().toEqualTypeOf<Contact>();
  expectTypeOf<Shown['response']['headers']>().toEqualTypeOf<Headers>();
  expectTypeOf<Shown['requestId']>().toEqualTypeOf<string | undefined>();
});

test('errors tell their facts by type', () => {
  expectTypeOf<RequestError['outcome']>().toEqualTypeOf<Outcome>();
  expectTypeOf<RequestError['status']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<ApiError['status']>().toEqualTypeOf<number>();
  compiled(() => {
    const caught: unknown = undefined;
    if (caught instanceof RequestError) expectTypeOf(caught.retryable).toEqualTypeOf<boolean>();
    return [];
  });
});

describe('bulk', () => {
  test('items are what the single method takes, and outcomes what it gives', () => {
    expectTypeOf(messaging.transactional.sendEach([])).toEqualTypeOf<BulkRun<SendInput, SendResult>>();
    expectTypeOf(messaging.events.trackEach([])).toEqualTypeOf<BulkRun<TrackInput, TrackResult>>();
    expectTypeOf(messaging.events.trackMany([])).toEqualTypeOf<Promise<BulkSummary>>();
    expectTypeOf(messaging.contacts.upsertEach([])).toExtend<BulkRun<UpsertContactInput, Contact>>();
    expectTypeOf(messaging.transactional.sendMany([])).toEqualTypeOf<Promise<BulkSummary>>();
    expectTypeOf(messaging.contacts.upsertMany([])).toEqualTypeOf<Promise<BulkSummary>>();
    compiled(() => [
      messaging.contacts.upsertMany(new Set([{ phone }]), { concurrency: 2 }),
      messaging.contacts.upsertMany([Promise.resolve({ phone })]),
      // @ts-expect-error no phone
      messaging.contacts.upsertMany([{ properties: {} }]),
      // @ts-expect-error no template
      messaging.transactional.sendMany([{ phone }]),
      messaging.events.trackMany([{ event: 'paid', phone }], { idempotencyKey: ({ event }) => event }),
      // @ts-expect-error no contact
      messaging.events.trackMany([{ event: 'paid' }]),
      // @ts-expect-error upserts are repeated without asking
      messaging.contacts.upsertMany([{ phone }], { retryUnknown: true }),
      // @ts-expect-error a text is iterable, and holds no contacts
      messaging.contacts.upsertMany(phone),
    ]);
  });

  test('the status of an outcome tells whether it holds data or an error', () => {
    compiled(() => {
      const outcome = {} as BulkOutcome<SendInput, SendResult>;
      expectTypeOf(outcome.input).toEqualTypeOf<SendInput>();
      if (outcome.status === 'done') expectTypeOf(outcome.data).toEqualTypeOf<SendResult>();
      else expectTypeOf(outcome.error).toEqualTypeOf<RequestError>();
      return [];
    });
  });

  test('a run that an async function returns is still a run', () => {
    const start = async () => messaging.transactional.sendEach([]);
    expectTypeOf(start).returns.resolves.toEqualTypeOf<BulkRun<SendInput, SendResult>>();
  });

  test('a run of particular items is a run of any', () => {
    expectTypeOf<BulkRun<SendInput, SendResult>>().toExtend<BulkRun<unknown, unknown>>();
  });
});
