import {
  type BulkCheckpoint,
  type CheckpointStore,
  createMemoryKeyValueStore,
  type KeyValueService,
  type MessagingAutomation,
  type SendInput,
  type SendManyOptions,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { settle, until, within, withResolvers } from '../../waiting.js';
import { untyped } from '../support/samples.js';
import { noteEvents, rejection } from '../support/service.js';
import { indexOf, indices, phoneOf, ranges, sends } from './items.js';
import { connectionError, refusal, sent } from './responses.js';
import { clientOver, collect, memoryCheckpoint } from './runs.js';

const operation = 'transactional.send';
const stored = (lists: object, version = 3) => ({
  ...{ version, operation, done: [], rejected: [], unknown: [] },
  ...(version === 3 && { keyed: [] }),
  ...lists,
});

const keyOf = (index: number) => `spring ${index}`;
const idempotencyKey = (_: SendInput, index: number) => keyOf(index);
const broken = () => refusal(500, 'internal_error');

/** A job with keys, its key store and its checkpoint, and a service that responds as the test says. */
function jobOf(respond: (index: number) => Response | Promise<Response>, count = 1) {
  const store = createMemoryKeyValueStore();
  const memory = memoryCheckpoint();
  const requests: number[] = [];
  let respondNow = respond;
  const client = (idempotencyStore: KeyValueService = store): MessagingAutomation =>
    clientOver(
      async (_, init) => {
        requests.push(indexOf(init));
        return respondNow(indexOf(init));
      },
      { idempotencyStore, retries: 0, random: () => 0 },
    );
  const runWithoutKeys = async (options: SendManyOptions = {}, idempotencyStore?: KeyValueService) => {
    const given = { checkpoint: memory, ...options };
    const each = client(idempotencyStore).transactional.sendEach(sends(count), given);
    return { outcomes: await collect(each), ...(await each.summary()) };
  };
  return {
    store,
    requests,
    client,
    saved: memory.saved,
    run: (options: SendManyOptions = {}, idempotencyStore?: KeyValueService) =>
      runWithoutKeys({ idempotencyKey, ...options }, idempotencyStore),
    runWithoutKeys,
    becomes(next: typeof respond) {
      respondNow = next;
    },
    /** Puts what an earlier run has saved into the checkpoint. */
    begins: (lists: object, version?: number) => memory.save(untyped(stored(lists, version))),
  };
}

const failingStore = (): KeyValueService => {
  const fail = () => Promise.reject(new Error('The store is down.'));
  return { ...createMemoryKeyValueStore(), set: fail, setIfAbsent: fail, get: fail };
};

describe('with a key, an item', () => {
  test('is recorded as keyed before its request goes out, and as done after its response', async () => {
    const atRequest: (BulkCheckpoint | undefined)[] = [];
    const job = jobOf(() => {
      atRequest.push(job.saved());
      return sent();
    }, 2);
    await job.run({ concurrency: 1 });

    expect(atRequest).toEqual([
      stored({ keyed: ranges('0-0') }),
      stored({ done: ranges('0-0'), keyed: ranges('1-1') }),
    ]);
    expect(job.saved()).toEqual(stored({ done: ranges('0-1') }));
  });

  test('that another process is sending is sent by the next run, if that process has not sent it', async () => {
    const gate = withResolvers<Response>();
    const job = jobOf(() => gate.promise);
    const elsewhere = job.client().withOptions({ clock: stillClock(), timeout: 20_000 });
    const input = { phone: phoneOf(0), templateId: 'welcome' };
    const sending = rejection(elsewhere.transactional.send(input, { idempotencyKey: keyOf(0) }));
    await until('its request', () => job.requests.length === 1);

    expect(await job.run()).toMatchObject({
      outcomes: [{ status: 'unknown', error: { name: 'IdempotencyError', code: 'in_progress' } }],
      unknown: 1,
      overall: { unknown: 1 },
      stoppedBecause: undefined,
    });
    expect(job.saved()).toEqual(stored({ keyed: ranges('0-0') }));

    gate.resolve(refusal(404, 'not_found'));
    expect(await within('its end', sending)).toMatchObject({ outcome: 'rejected' });
    job.becomes(sent);
    expect(await job.run()).toMatchObject({ done: 1, overall: { done: 1, unknown: 0 } });
    expect(job.requests).toHaveLength(2);
  });

  test.each(['sent', 'not_sent'] as const)(
    'whose outcome is unknown is asked of its key by each run, until the key is settled as %s',
    async (outcome) => {
      const job = jobOf(broken);
      expect(await job.run()).toMatchObject({ unknown: 1, overall: { unknown: 1 } });
      job.becomes(sent);
      expect(await job.run()).toMatchObject({
        outcomes: [{ error: { code: 'outcome_unknown' } }],
        overall: { done: 0, unknown: 1 },
      });
      expect(job.saved()).toEqual(stored({ keyed: ranges('0-0') }));

      await job.client().transactional.settle(keyOf(0), outcome);
      expect(await job.run()).toMatchObject({ done: 1, overall: { done: 1, unknown: 0 } });
      expect(job.requests).toHaveLength(outcome === 'sent' ? 1 : 2);
    },
  );
});

describe('an item that an earlier run recorded as keyed', () => {
  test('before it was killed is sent, if its key was never used', async () => {
    const job = jobOf(sent, 3);
    await job.begins({ done: ranges('0-0'), keyed: ranges('1-1') });
    expect(await job.run()).toMatchObject({ done: 2, skipped: 1, unknown: 0, overall: { done: 3 } });
    expect(job.requests.toSorted()).toEqual([1, 2]);
  });

  test('and had sent before it was killed is done, and not sent again', async () => {
    const job = jobOf(sent);
    let atRequest: BulkCheckpoint | undefined;
    job.becomes(() => {
      atRequest = job.saved();
      return sent();
    });
    await job.run();
    await job.begins(untyped<object>(atRequest));
    expect(await job.run()).toMatchObject({ outcomes: [{ data: { replayed: true } }], done: 1 });
    expect(job.requests).toHaveLength(1);
  });

  test('is closed if the service rejects it now, because its key shows that nothing was sent before', async () => {
    const job = jobOf((index) => (index === 1 ? refusal(404, 'not_found') : sent()), 2);
    await job.begins({ done: ranges('0-0'), keyed: ranges('1-1') });
    expect(await job.run()).toMatchObject({
      outcomes: [{ status: 'rejected' }],
      overall: { rejected: 1, unknown: 0 },
    });
    expect(job.saved()).toEqual(stored({ done: ranges('0-0'), rejected: ranges('1-1') }));
  });

  test('is open again if its request does not leave now', async () => {
    const job = jobOf(() => Promise.reject(connectionError('ECONNREFUSED')));
    await job.begins({ keyed: ranges('0-0') });
    expect(await job.run()).toMatchObject({ outcomes: [{ status: 'rejected' }], overall: { unknown: 0 } });
    expect(job.saved()).toEqual(stored({}));
  });

  test('stays so if its key cannot be asked', async () => {
    const job = jobOf(sent);
    await job.begins({ keyed: ranges('0-0') });
    expect(await job.run({}, failingStore())).toMatchObject({
      outcomes: [{ status: 'unknown', error: { code: 'store_failed' } }],
    });
    expect(job.saved()).toEqual(stored({ keyed: ranges('0-0') }));
    expect(job.requests).toEqual([]);
  });

  test('counts as unknown, beside those that were begun without a key', async () => {
    const job = jobOf(sent, 4);
    await job.begins({ unknown: ranges('0-1'), keyed: ranges('2-3') });
    const { overall } = await job.runWithoutKeys();
    expect(overall).toEqual({ done: 0, rejected: 0, unknown: 4 });
  });

  test('is reported as unknown by a run without keys, which sends it only with retryUnknown', async () => {
    const job = jobOf(sent);
    await job.begins({ keyed: ranges('0-0') });
    expect(await job.runWithoutKeys()).toMatchObject({
      outcomes: [
        {
          status: 'unknown',
          error: { message: expect.stringContaining('With the idempotency keys of that run, or') },
        },
      ],
    });
    expect(job.saved()).toEqual(stored({ keyed: ranges('0-0') }));
    expect(job.requests).toEqual([]);

    job.becomes(broken);
    expect(await job.runWithoutKeys({ retryUnknown: true })).toMatchObject({ unknown: 1 });
    expect(job.saved()).toEqual(stored({ unknown: ranges('0-0') })); // its key does not know of this request
  });
});

test('an item is left as it was if the run stops before its request', async () => {
  const memory = memoryCheckpoint();
  const before = stored({ rejected: ranges('0-0'), unknown: ranges('1-1'), keyed: ranges('2-2') });
  await memory.save(untyped(before));
  const controller = new AbortController();
  const saved: unknown[] = [];
  const save = async (whole: BulkCheckpoint) => {
    controller.abort();
    saved.push(structuredClone(whole));
  };
  const job = jobOf(sent, 3);
  const checkpoint = { ...memory, save };
  const { signal } = controller;
  await job.run({ checkpoint, signal, retryRejected: true, retryUnknown: true });

  expect(saved.at(0)).toMatchObject({ rejected: [], keyed: ['0-0', '2-2'].flatMap(ranges) });
  expect(saved.at(-1)).toEqual(before);
  expect(job.requests).toEqual([]);
});

describe('an item that was started without a key', () => {
  test.each([2, 3])('is not sent by a run with keys, from a checkpoint of version %d', async (version) => {
    const job = jobOf(sent, 3);
    await job.begins({ done: ranges('0-0'), unknown: ranges('1-1') }, version);
    expect(await job.run()).toMatchObject({
      done: 1,
      unknown: 1,
      skipped: 1,
      overall: { done: 2, unknown: 1 },
    });
    expect(job.requests).toEqual([2]);
    expect(job.saved()).toEqual(stored({ done: ['0-0', '2-2'].flatMap(ranges), unknown: ranges('1-1') }));
  });

  test('is sent with its key with retryUnknown, and stays unknown for later keys if that fails', async () => {
    const job = jobOf(broken);
    await job.begins({ unknown: ranges('0-0') }, 2);
    expect(await job.run({ retryUnknown: true })).toMatchObject({ unknown: 1 });
    expect(job.saved()).toEqual(stored({ unknown: ranges('0-0') }));
    await job.client().transactional.settle(keyOf(0), 'not_sent');
    job.becomes(sent);
    expect(await job.run()).toMatchObject({ done: 0, unknown: 1 });
    expect(await job.run({ retryUnknown: true })).toMatchObject({ done: 1, overall: { unknown: 0 } });
  });
});

test('changes of keyed items are appended like others', async () => {
  const lines: unknown[] = [];
  const checkpoint: CheckpointStore = {
    load: async () => (lines.length === 0 ? undefined : structuredClone(lines)),
    save: async (whole) => void lines.splice(0, lines.length, structuredClone(whole)),
    append: async (change) => void lines.push(structuredClone(change)),
  };
  const atLast: unknown[] = [];
  const job = jobOf((index) => {
    if (index === 2) atLast.push(...structuredClone(lines));
    return sent();
  }, 3);
  await job.run({ checkpoint, concurrency: 1 });
  expect(atLast.at(-1)).toEqual({ keyed: ranges('2-2') });

  lines.splice(0, lines.length, ...atLast); // as a kill leaves them
  expect(await job.run({ checkpoint })).toMatchObject({ done: 1, skipped: 2, unknown: 0 });
  expect(job.requests).toEqual([0, 1, 2]);
});

describe('a function for keys', () => {
  const problem = (message: string) => ({ problems: [{ field: 'idempotencyKey', message }] });

  test('that throws has its item rejected, with a copy of the error without the phone', async () => {
    const job = jobOf(sent, 2);
    const { outcomes } = await job.run({
      idempotencyKey: ({ phone }, index) => {
        if (index === 1) throw new TypeError(`no order for ${phone}`);
        return keyOf(index);
      },
    });
    expect(outcomes.find(({ index }) => index === 1)).toMatchObject({
      status: 'rejected',
      error: {
        name: 'InvalidInputError',
        message: `${operation} was not sent: idempotencyKey is missing, because its function threw an error.`,
        outcome: 'not_sent',
        cause: { name: 'TypeError', message: expect.stringMatching(/^no order for .*\*/) },
      },
    });
    expect(
      JSON.stringify(outcomes.map((outcome) => String('error' in outcome && outcome.error.cause))),
    ).not.toContain(phoneOf(1));
    expect(job.requests).toEqual([0]);
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['an empty string', ''],
    ['a string of 256 characters', 'x'.repeat(256)],
    ['a number', 1],
  ])('that returns %s has its item rejected', async (_, key) => {
    const job = jobOf(sent);
    const { outcomes } = await job.run({ idempotencyKey: () => untyped(key) });
    expect(outcomes).toMatchObject([
      {
        status: 'rejected',
        error: problem('must be a string of 1 to 255 characters, and its function returned something else'),
      },
    ]);
    expect(job.requests).toEqual([]);
  });

  test('that is async and rejects has its item rejected, and ends no process', async () => {
    const unhandled = noteEvents('unhandledRejection');
    const job = jobOf(sent);
    const asynchronous = () => untyped<string>(Promise.reject(new Error('no such order')));
    expect(await job.run({ idempotencyKey: asynchronous })).toMatchObject({ rejected: 1 });
    await settle();
    expect(unhandled).toEqual([]);
  });

  test('leaves an item that was started with a key as it was', async () => {
    const job = jobOf(sent);
    await job.begins({ keyed: ranges('0-0') });
    expect(await job.run({ idempotencyKey: () => '' })).toMatchObject({ unknown: 1 });
    expect(job.saved()).toEqual(stored({ keyed: ranges('0-0') }));
  });
});

test('any number of items that other processes are sending stops no run, and a later run sends them', async () => {
  const job = jobOf(sent, 15);
  await job.begins({ keyed: ranges('0-14') });
  for (const index of indices(12)) {
    job.becomes(broken);
    const input = { phone: phoneOf(index), templateId: 'welcome' };
    await rejection(job.client().transactional.send(input, { idempotencyKey: keyOf(index) }));
  }
  job.becomes(sent);
  expect(await job.run()).toMatchObject({ unknown: 12, done: 3, stoppedBecause: undefined });
  for (const index of indices(12)) await job.client().transactional.settle(keyOf(index), 'not_sent');
  expect(await job.run()).toMatchObject({ done: 12, skipped: 3, overall: { done: 15, unknown: 0 } });
});

/** A clock that stands still, for a call that never reaches its deadline. */
function stillClock() {
  return { now: () => Date.UTC(2026, 0, 1), setTimer: () => () => {} };
}
