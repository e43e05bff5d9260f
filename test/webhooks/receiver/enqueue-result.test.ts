import { describe, expect, test } from 'vitest';
import { message, receiverOf } from './receive.js';

/** What clients return for a job that they did not store. */
const refused: readonly (readonly [string, unknown])[] = [
  ['pg-boss without the queue', null],
  ['a queue that is full', false],
  ['an error that is returned', new Error('no room')],
  ['SQS SendMessageBatch', { Successful: [], Failed: [{ Id: '1', Code: 'InternalError' }] }],
  ['EventBridge PutEvents', { FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure' }] }],
  ['Kinesis PutRecords', { FailedRecordCount: 2, Records: [] }],
  ['Google Pub/Sub in a batch', { failed: ['1'] }],
  ['a fetch to a queue over HTTP', new Response(null, { status: 500 })],
  ['Supabase queues', { data: null, error: { message: 'relation does not exist' } }],
  ['an API with an error text', { error: 'quota' }],
  ['an API with success', { success: false }],
  ['MongoDB', { acknowledged: false }],
  ['Promise.allSettled', [{ status: 'fulfilled' }, { status: 'rejected', reason: 1 }]],
  ['a transaction of node-redis', ['OK', new Error('WRONGTYPE')]],
  [
    'a transaction of ioredis',
    [
      [null, 1],
      [new Error('OOM'), null],
    ],
  ],
];

/** What clients return for a job that they stored, and what says nothing. */
const stored: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['the id of a job', 'b1946ac9-2b1f-4f0e-8f4b-2e4a1b1f9f2a'],
  ['the length of a list', 1],
  ['zero', 0],
  ['BullMQ', { id: '1', name: 'webhook', data: {}, failedReason: undefined, attemptsMade: 0 }],
  ['SQS SendMessage', { MessageId: '1', $metadata: { httpStatusCode: 200 } }],
  ['SQS SendMessageBatch', { Successful: [{ Id: '1' }], Failed: [] }],
  ['EventBridge PutEvents', { FailedEntryCount: 0 }],
  ['a fetch to a queue over HTTP', new Response(null, { status: 201 })],
  ['Supabase queues', { data: [1], error: null }],
  ['an insert that found the job there', { rowCount: 0, rows: [] }],
  ['MongoDB', { acknowledged: true, insertedId: '1' }],
  [
    'a transaction of ioredis',
    [
      [null, 1],
      [null, 'OK'],
    ],
  ],
  [
    'an object whose properties throw',
    {
      get ok() {
        return expect.fail();
      },
    },
  ],
];

describe('enqueue that returns', () => {
  for (const isLater of [false, true]) {
    const when = isLater ? 'a promise of it' : 'it at once';
    const enqueueOf = (result: unknown) => (isLater ? async () => result : () => result);

    test.each(refused)(
      `what says "not stored" gets 503, and the error says so: %s, ${when}`,
      async (_, result) => {
        const { log, status } = receiverOf({ enqueue: enqueueOf(result) });
        expect(await status(message)).toBe(503);
        expect(log).toMatchObject([
          ['error', { reason: 'not_enqueued' }, { event: message, willBeRetried: true }],
        ]);
        expect(String(log[0]?.[1])).toContain('Let enqueue throw if the queue does not have the job.');
      },
    );

    test.each(stored)(`anything else gets 204: %s, ${when}`, async (_, result) => {
      const { log, status } = receiverOf({ enqueue: enqueueOf(result) });
      expect(await status(message)).toBe(204);
      expect(log).toEqual([]);
    });
  }
});
