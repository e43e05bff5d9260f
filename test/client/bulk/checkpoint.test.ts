import { type BulkCheckpoint, type CheckpointStore, InvalidInputError } from 'messaging-automation';
import { describe, expect, test, vi } from 'vitest';
import { rejection } from '../support/service.js';
import { indices, ranges, rows, sends } from './items.js';
import { refusal, sent, upserted } from './responses.js';
import { collect, memoryCheckpoint, responding } from './runs.js';

const operation = 'transactional.send';
const stored = (lists: object) => ({
  ...{ version: 3, operation },
  ...{ done: [], rejected: [], unknown: [], keyed: [] },
  ...lists,
});

/** A store whose saves take some turns of the event loop, as those of a file or a database do. */
function slowStore() {
  const { load, save, saved, saves } = memoryCheckpoint();
  const store = { saving: 0, mostAtOnce: 0, closed: false };
  const checkpoint: CheckpointStore = {
    load,
    async save(given) {
      store.saving += 1;
      store.mostAtOnce = Math.max(store.mostAtOnce, store.saving);
      for (const _ of indices(3)) await new Promise(setImmediate);
      await save(given);
      store.saving -= 1;
    },
    async close() {
      store.closed = true;
      expect(store.saving).toBe(0);
    },
  };
  return { checkpoint, store, saved, saves };
}

test('a send is recorded as unknown before its request goes out, and as done after its response', async () => {
  const checkpoint = memoryCheckpoint();
  const atRequest: (BulkCheckpoint | undefined)[] = [];
  const { sendMany } = responding(() => {
    atRequest.push(checkpoint.saved());
    return sent();
  });
  await sendMany(sends(2), { checkpoint, concurrency: 1 });

  expect(atRequest).toEqual([stored({ unknown: [[0, 0]] }), stored({ done: [[0, 0]], unknown: [[1, 1]] })]);
  expect(checkpoint.saved()).toEqual(stored({ done: [[0, 1]] }));
});

test('a send that comes while the store is saving waits for a save that holds it', async () => {
  const { checkpoint, store, saved } = slowStore();
  const unrecorded: number[] = [];
  const { sendMany } = responding((index) => {
    const { unknown = [] } = saved() ?? {};
    if (!unknown.some(([first, last]) => first <= index && index <= last)) unrecorded.push(index);
    return sent();
  });
  async function* oneByOne() {
    for (const send of sends(20)) {
      await new Promise(setImmediate);
      yield send;
    }
  }
  const summary = await sendMany(oneByOne(), { checkpoint, concurrency: 5 });

  expect(unrecorded).toEqual([]);
  expect(store.mostAtOnce).toBe(1);
  expect(summary).toMatchObject({ done: 20 });
});

test('items under way at once share their saves, and the run ends after the last one', async () => {
  const { checkpoint, store, saved, saves } = slowStore();
  const { sendMany } = responding(sent);
  await sendMany(sends(200), { checkpoint, concurrency: 50 });

  expect(store).toEqual({ saving: 0, mostAtOnce: 1, closed: true });
  expect(saves()).toBeLessThan(100);
  expect(saved()).toEqual(stored({ done: [[0, 199]] }));
});

test('a later run reports what is unknown, and sends it again only with retryUnknown', async () => {
  const { checkpoint, sendMany, transactional, requests } = responding((_, number) =>
    number === 1 ? refusal(500, 'internal') : sent(),
  );
  await sendMany(sends(1), { checkpoint });
  const again = await collect(transactional.sendEach(sends(1), { checkpoint }));

  expect(requests).toHaveLength(1);
  expect(again).toMatchObject([
    {
      index: 0,
      status: 'unknown',
      error: {
        message:
          'transactional.send was started for this item by an earlier run, which recorded no result. ' +
          'The service may have processed it. Check before you retry. ' +
          'With retryUnknown, a run makes the call again.',
        operation,
        outcome: 'unknown',
        retryable: false,
        attempts: 0,
      },
    },
  ]);
  const retry = { checkpoint, retryUnknown: true };
  expect(await sendMany(sends(1), retry)).toMatchObject({ done: 1 });
  expect(await sendMany(sends(1), retry)).toMatchObject({ skipped: 1, unknown: 0 });
  expect(requests).toHaveLength(2);
});

describe('upserts', () => {
  test('are saved with each hundredth that ended, and wait for no save', async () => {
    const checkpoint = memoryCheckpoint();
    const savesAtRequest: number[] = [];
    const { upsertMany } = responding(() => {
      savesAtRequest.push(checkpoint.saves());
      return upserted();
    });
    await upsertMany(rows(202), { checkpoint, concurrency: 1 });

    expect([99, 100, 199, 200].map((index) => savesAtRequest[index])).toEqual([0, 1, 1, 2]);
    expect(checkpoint.saves()).toBe(3);
    expect(checkpoint.saved()).toMatchObject({ operation: 'contacts.upsert', done: [[0, 201]] });
  });

  test('of an unknown outcome are made again by the next run', async () => {
    const { checkpoint, upsertMany, becomes } = responding(() => refusal(500, 'internal'));
    expect(await upsertMany(rows(3), { checkpoint })).toMatchObject({ unknown: 3 });
    becomes(upserted);

    expect(await upsertMany(rows(3), { checkpoint })).toMatchObject({ done: 3, skipped: 0 });
  });
});

test.each<[string, unknown]>([
  ['text', 'garbage'],
  ['another version', { ...stored({}), version: 4 }],
  ['of version 1', { version: 1, operation, finished: ranges('0-1 4-4'), unknown: [] }],
  ['that of another operation', { ...stored({}), operation: 'contacts.upsert' }],
  ['with ranges that overlap', stored({ done: ranges('0-5 4-9') })],
  ['without its list of done items', { version: 2, operation, rejected: [], unknown: [] }],
  ['without its list of items with keys', { version: 3, operation, done: [], rejected: [], unknown: [] }],
  ['with null for its list of unknown items', stored({ unknown: null })],
  ['with ranges that touch', stored({ done: ranges('0-5 6-9') })],
  ['with ranges out of order', stored({ done: ranges('7-9 0-5') })],
  ['with an item in two lists', stored({ done: [[0, 5]], unknown: [[5, 5]] })],
  ['with a done item among those with keys', stored({ done: [[0, 5]], keyed: [[3, 3]] })],
  ['with a range the wrong way round', stored({ done: [[5, 0]] })],
  ['with a range over no whole numbers', stored({ done: [[0, 1.5]] })],
  ['with something else than ranges of rejected items', stored({ rejected: 'none' })],
])('a stored checkpoint that is %s is refused, and nothing is sent', async (_, content) => {
  const { sendMany, requests } = responding(sent);
  const checkpoint = { ...memoryCheckpoint(), load: async () => content };
  const error = await rejection(sendMany(sends(3), { checkpoint }));

  expect(error).toBeInstanceOf(InvalidInputError);
  const message =
    'holds something else than a checkpoint of transactional.send; give each job a store of its own';
  expect(error).toMatchObject({
    operation: 'transactional.sendMany',
    problems: [{ field: 'checkpoint', message }],
  });
  expect(requests).toEqual([]);
});

test('a checkpoint that cannot be loaded rejects with the error of its store', async () => {
  const unreadable = new Error('EACCES');
  const checkpoint = { ...memoryCheckpoint(), load: () => Promise.reject(unreadable) };
  const run = responding(sent).transactional.sendEach(sends(3), { checkpoint });

  expect(await rejection(collect(run))).toBe(unreadable);
  expect(await rejection(run.summary())).toBe(unreadable);
});

describe('a store that is opened and closed', () => {
  /** A store that notes what is asked of it, some of which may fail. */
  function noting({ open, load, close }: Partial<CheckpointStore> = {}) {
    const memory = memoryCheckpoint();
    const checkpoint = {
      open: vi.fn(open ?? (async () => {})),
      load: vi.fn(load ?? memory.load),
      save: vi.fn(memory.save),
      close: vi.fn(close ?? (async () => {})),
    };
    const asked = () =>
      Object.entries(checkpoint)
        .flatMap(([name, { mock }]) => mock.invocationCallOrder.map((order) => ({ name, order })))
        .sort((one, other) => one.order - other.order)
        .map(({ name }) => name);
    return { checkpoint, asked };
  }

  test('is opened before it is loaded, and closed after the last saving', async () => {
    const { checkpoint, asked } = noting();
    await responding(sent).sendMany(sends(1), { checkpoint });

    expect([...new Set(asked())]).toEqual(['open', 'load', 'save', 'close']);
    expect(asked().slice(-2)).toEqual(['save', 'close']);
  });

  test('and cannot be opened rejects the run with its error, and is not closed', async () => {
    const locked = new Error('another run has it');
    const { checkpoint, asked } = noting({ open: () => Promise.reject(locked) });

    expect(await rejection(responding(sent).sendMany(sends(2), { checkpoint }))).toBe(locked);
    expect(asked()).toEqual(['open']);
  });

  test('and cannot be closed changes nothing about the run', async () => {
    const { checkpoint } = noting({ close: () => Promise.reject(new Error('gone')) });
    const run = responding(sent).sendMany(sends(2), { checkpoint });

    expect(await run).toMatchObject({ done: 2, stoppedBecause: undefined });
  });

  test('is closed when it holds something else than a checkpoint, and not opened for wrong options', async () => {
    const { checkpoint, asked } = noting({ load: async () => 'garbage' });
    const { sendMany } = responding(sent);
    await rejection(sendMany(sends(2), { checkpoint, concurrency: 0 }));
    expect(asked()).toEqual([]);
    await rejection(sendMany(sends(2), { checkpoint }));

    expect(asked()).toEqual(['open', 'load', 'close']);
  });
});
