import { expect, test } from 'vitest';
import { Batch, conflict, Failure } from '../../../src/postgres/database/batch.js';
import { Database } from '../../../src/postgres/database/connection.js';
import { isLostConnection, StoreFailures } from '../../../src/postgres/database/errors.js';
import { PostgresOutbox } from '../../../src/postgres/records/outbox.js';
import { HeldClaims } from '../../../src/postgres/records/replica-context.js';
import { SetAside } from '../../../src/postgres/records/set-aside.js';
import { repeat } from '../../../src/postgres/replica/replica-parts.js';
import type { DeliveryRecord } from '../../../src/server/model/records.js';
import { StoreUnavailableError } from '../../../src/server/model/service-error.js';
import { withResolvers } from '../../waiting.js';

const delivery: DeliveryRecord = {
  id: 'delivery',
  subscriptionId: 'a',
  event: 'message.received',
  url: 'http://127.0.0.1/hook',
  body: new Uint8Array(),
  status: 'pending',
  attempts: [],
  createdAt: 0,
};

test('a batch combines the calls of one turn, and each gets its own output', async () => {
  const runs: number[][] = [];
  const batch = new Batch<number, number>(async (inputs) => {
    runs.push([...inputs]);
    return inputs.map((input) => input * 2);
  });
  expect(await Promise.all([1, 2, 3].map((input) => batch.add(input)))).toEqual([2, 4, 6]);
  expect(await batch.add(4)).toBe(8);
  expect(runs).toEqual([[1, 2, 3], [4]]);
});

test('calls during a query wait for it, and then form the next one', async () => {
  const runs: number[][] = [];
  const [started, landed] = [withResolvers(), withResolvers()];
  const batch = new Batch<number, number>(async (inputs) => {
    runs.push([...inputs]);
    started.resolve();
    await landed.promise;
    return inputs;
  });
  const first = batch.add(1);
  await started.promise;
  const others = [batch.add(2), batch.add(3)];
  // A caller that just got its output adds to the next query before it runs.
  const fourth = first.then(() => batch.add(4));
  landed.resolve();
  expect(await Promise.all([first, ...others, fourth])).toEqual([1, 2, 3, 4]);
  expect(runs).toEqual([[1], [2, 3, 4]]);
});

test('a query has at most a thousand calls', async () => {
  const sizes: number[] = [];
  const batch = new Batch<number, number>(async (inputs) => {
    sizes.push(inputs.length);
    return inputs;
  });
  await Promise.all(Array.from({ length: 2_500 }, (_, input) => batch.add(input)));
  expect(sizes).toEqual([1_000, 1_000, 500]);
});

test('a bad input fails alone', async () => {
  const batch = new Batch<number, number>(async (inputs) => {
    if (inputs.includes(13)) throw new Error('13 is bad.');
    return inputs.map((input) => (input === 7 ? new Failure(new Error('7 fails by itself.')) : input));
  });
  const outcomes = await Promise.allSettled([1, 13, 7, 3].map((input) => batch.add(input)));
  expect(outcomes).toMatchObject([
    { value: 1 },
    { reason: { message: '13 is bad.' } },
    { reason: { message: '7 fails by itself.' } },
    { value: 3 },
  ]);
});

test('a lost connection fails the calls of one query, which runs once', async () => {
  let runs = 0;
  const batch = new Batch<number, number>(async (inputs) => {
    runs += 1;
    if (runs === 1) throw new StoreUnavailableError();
    return inputs;
  });
  const outcomes = await Promise.allSettled([1, 2].map((input) => batch.add(input)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await batch.add(3)).toBe(3);
  expect(runs).toBe(2);
});

test.each([
  ['40P01', ['fulfilled', 'fulfilled'], 3],
  ['57014', ['rejected', 'rejected'], 1],
])('calls that end with %s together are each tried alone if that can help', async (code, outcomes, tries) => {
  let runs = 0;
  const batch = new Batch<number, number>(async (inputs) => {
    runs += 1;
    if (runs === 1) throw new StoreFailures().ofStatement({ code });
    return inputs;
  });
  const settled = await Promise.allSettled([1, 2].map((input) => batch.add(input)));
  expect(settled.map(({ status }) => status)).toEqual(outcomes);
  expect(runs).toBe(tries);
});

test('a call with conflicts is repeated after those that came before, and fails after many', async () => {
  const runs: number[][] = [];
  const batch = new Batch<number, number>(async (inputs) => {
    runs.push([...inputs]);
    return inputs.map((input) => (input === 2 && runs.length > 1 ? 20 : conflict));
  });
  const outcomes = Promise.allSettled([1, 2].map((input) => batch.add(input)));
  expect(await outcomes).toMatchObject([
    { reason: { name: 'StoreBusyError', cause: { message: expect.stringContaining('100 times') } } },
    { value: 20 },
  ]);
  expect([runs.length, ...runs.slice(0, 3)]).toEqual([100, [1, 2], [1, 2], [1]]);
});

test('a query that does not respond to each call fails all of them', async () => {
  const batch = new Batch<number, number>(async () => []);
  await expect(batch.add(1)).rejects.toThrow('did not respond to each');
});

test.each([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EMFILE'].map((code) => ({
    code,
  })),
  { message: 'Connection terminated unexpectedly' },
  { message: 'timeout exceeded when trying to connect' },
  { message: 'Query read timeout' },
  { message: 'Client has encountered a connection error and is not queryable' },
])('an error of a connection that is of no more use: %j', (error) => {
  expect(isLostConnection(error)).toBe(true);
  expect(isLostConnection(new Error('Another error.'))).toBe(false);
});

test('subscriptions share a query with those that work, fail or were not tried like them', async () => {
  const queries: string[][] = [];
  const database = new (class extends Database {
    override async query(_: string, values: readonly unknown[] = []): Promise<readonly unknown[]> {
      const [, wanted] = values;
      if (Array.isArray(wanted)) queries.push(wanted.map((each) => String(each).split('"')[1] ?? ''));
      return [];
    }
  })({ connectionString: 'postgres://localhost' });
  const held = new HeldClaims();
  const outbox = new PostgresOutbox({
    database,
    lease: 1_000,
    replica: 'one',
    workspace: 'w',
    identity: { number: 1 },
    held,
    moving: new Set(),
    setAside: new SetAside(database, 'w', () => {}),
  });
  const claimAll = async () => {
    queries.length = 0;
    await Promise.all(['a', 'b', 'c'].map((subscriptionId) => outbox.claimDue(subscriptionId, 0, 1)));
    return queries.map((each) => each.join('+')).sort();
  };
  const settle = (subscriptionId: string, error?: string) => {
    const claim = { id: 'delivery', token: 'token' };
    held.hold({ ...claim, table: 'claims', workspace: 'w', delivery: { ...delivery, subscriptionId } });
    const attempt = { number: 1, startedAt: 1, signature: 's', ...(error !== undefined && { error }) };
    return outbox.recordAttempt(claim, attempt, { status: 'delivered' });
  };
  expect(await claimAll()).toEqual(['a+b+c']);
  await settle('a', 'refused');
  await settle('c', 'refused');
  expect(await claimAll()).toEqual(['a+c', 'b']);
  await settle('c');
  expect(await claimAll()).toEqual(['a', 'b', 'c']);
  await settle('b');
  expect(await claimAll()).toEqual(['a', 'b+c']);
});

test('a repeated task that runs ends before its repetition does, and does not run again', async () => {
  const [started, running] = [withResolvers(), withResolvers()];
  const done: string[] = [];
  const closing = new AbortController();
  const ended = repeat(1, closing.signal, async () => {
    started.resolve();
    await running.promise;
    done.push('task');
  }).then(() => done.push('end'));
  await started.promise;
  closing.abort();
  await new Promise<void>((resolve) => setImmediate(resolve));
  running.resolve();
  await ended;
  expect(done).toEqual(['task', 'end']);
});
