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
  expectTypeOf(messaging.transactional.sendMany([])).toEqualTypeOf<BulkRun<SendInput, SendResult>>();
  expectTypeOf(messaging.contacts.upsertMany([])).toExtend<BulkRun<UpsertContactInput, Contact>>();
  expectTypeOf<Awaited<BulkRun<SendInput, SendResult>>>().toEqualTypeOf<BulkSummary>();
  compiled(() => [
    messaging.contacts.upsertMany(new Set([{ phone }]), { concurrency: 2 }),
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

test('a run of particular items is a run of any', () => {
  expectTypeOf<BulkRun<SendInput, SendResult>>().toExtend<BulkRun<unknown, unknown>>();
});
