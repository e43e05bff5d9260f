import {
  type BulkOutcome,
  type BulkRun,
  type BulkSummary,
  type Contact,
  MessagingAutomation,
  type RequestError,
  type SendInput,
  type SendResult,
  type UpsertContactInput,
} from 'messaging-automation';
import { expectTypeOf, test } from 'vitest';

const messaging = new MessagingAutomation({ apiKey: 'key', baseUrl: 'http://127.0.0.1:9/api' });
const phone = '+15551234567';

/** Compiled, never run. */
function compiled(_calls: () => readonly unknown[]): void {}

test('items are what the single method takes, and outcomes what it gives', () => {
  expectTypeOf(messaging.transactional.sendEach([])).toEqualTypeOf<BulkRun<SendInput, SendResult>>();
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
