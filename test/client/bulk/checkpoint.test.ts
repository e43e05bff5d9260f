import { type BulkCheckpoint, type CheckpointStore, InvalidInputError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { rejection } from '../support/service.js';
import {
  clientOver,
  collect,
  heldService,
  indexOf,
  memoryCheckpoint,
  phoneOf,
  refusal,
  sends,
  sent,
  settle,
  until,
} from './support.js';

const operation = 'transactional.send';

test('a send is recorded as unknown before its request goes out, and as done after its answer', async () => {
  const checkpoint = memoryCheckpoint();
  const atRequest: (BulkCheckpoint | undefined)[] = [];
  const { transactional } = clientOver(async () => {
    atRequest.push(checkpoint.saved());
    return sent();
  });
  await transactional.sendMany(sends(2), { checkpoint, concurrency: 1 });

  expect(atRequest).toEqual([
    { version: 2, operation, done: [], rejected: [], unknown: [[0, 0]] },
    { version: 2, operation, done: [[0, 0]], rejected: [], unknown: [[1, 1]] },
  ]);
  expect(checkpoint.saved()).toEqual({ version: 2, operation, done: [[0, 1]], rejected: [], unknown: [] });
});

test('no request goes out while its record is being saved, and savings never overlap', async () => {
  const finishSave: (() => void)[] = [];
  let saving = 0;
  let requests = 0;
  const checkpoint = {
    load: async () => null,
    async save() {
      saving += 1;
      expect(saving).toBe(1);
      await new Promise<void>((resolve) => finishSave.push(resolve));
      saving -= 1;
    },
  };
  const { transactional } = clientOver(async () => {
    requests += 1;
    return sent();
  });
  const summary = transactional.sendMany(sends(5), { checkpoint, concurrency: 5 });
  await until(() => saving === 1);
  await settle();
  expect(requests).toBe(0);
  finishSave.shift()?.();
  await until(() => requests > 0);
  while (requests < 5 || saving > 0) {
    finishSave.shift()?.();
    await settle();
  }

  expect(await summary).toMatchObject({ done: 5 });
});

test('items under way at once share their savings', async () => {
  const memory = memoryCheckpoint();
  const checkpoint = {
    ...memory,
    async save(given: BulkCheckpoint) {
      await new Promise(setImmediate); // as long as anything outside the process takes at least
      await memory.save(given);
    },
  };
  await clientOver(async () => sent()).transactional.sendMany(sends(1_000), { checkpoint, concurrency: 50 });

  expect(checkpoint.saves()).toBeLessThan(200);
  expect(checkpoint.saved()).toEqual({ version: 2, operation, done: [[0, 999]], rejected: [], unknown: [] });
});

describe('a later run', () => {
  test('goes on where a 402 ended the one before, with the item that met it', async () => {
    const checkpoint = memoryCheckpoint();
    const arrived: number[] = [];
    let quota = 7;
    const { transactional } = clientOver(async (_, init) => {
      if (quota === 0) return refusal(402, 'quota_exceeded');
      quota -= 1;
      arrived.push(indexOf(init));
      return sent();
    });
    const first = await transactional.sendMany(sends(20), { checkpoint, concurrency: 3 });
    expect(first).toMatchObject({ done: 7, stoppedBecause: { reason: 'quota_exceeded' } });
    quota = 100;
    const second = await transactional.sendMany(sends(20), { checkpoint, concurrency: 3 });

    expect(second).toMatchObject({ skipped: 7, done: 13, rejected: 0, stoppedBecause: undefined });
    expect([...arrived].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  test('reports what is unknown, and does not send it again unless told', async () => {
    const checkpoint = memoryCheckpoint();
    let requests = 0;
    const { transactional } = clientOver(async () => {
      requests += 1;
      return requests === 1 ? refusal(500, 'internal') : sent();
    });
    await transactional.sendMany(sends(1), { checkpoint });
    const again = await collect(transactional.sendEach(sends(1), { checkpoint }));

    expect(requests).toBe(1);
    expect(again).toMatchObject([
      {
        index: 0,
        status: 'unknown',
        error: {
          message:
            'transactional.send was begun for this item by an earlier run, and by the checkpoint its end is unknown. ' +
            'It may have been carried out: find out before making the call again. ' +
            'With retryUnknown, a run makes it again.',
          operation,
          outcome: 'unknown',
          retryable: false,
          attempts: 0,
        },
      },
    ]);
    expect(await transactional.sendMany(sends(1), { checkpoint, retryUnknown: true })).toMatchObject({
      done: 1,
    });
    expect(await transactional.sendMany(sends(1), { checkpoint })).toMatchObject({ skipped: 1, unknown: 0 });
    expect(requests).toBe(2);
  });

  test('that is aborted while it claims leaves what it claimed as it was', async () => {
    const unknownBefore = { version: 2, operation, done: [], rejected: [], unknown: [[1, 1]] };
    const controller = new AbortController();
    const saved: BulkCheckpoint[] = [];
    const checkpoint = {
      load: async () => unknownBefore,
      save: async (given: BulkCheckpoint) => {
        saved.push(given);
        controller.abort();
      },
    };
    let requests = 0;
    const { transactional } = clientOver(async () => {
      requests += 1;
      return sent();
    });
    const { signal } = controller;
    await transactional.sendMany(sends(9), { checkpoint, signal, concurrency: 3, retryUnknown: true });

    expect(requests).toBe(0);
    expect(saved.at(-1)).toEqual(unknownBefore);
  });
});

describe('upserts', () => {
  const contact = () => Response.json({ id: 'c1', properties: {} }, { status: 201 });
  const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ phone: phoneOf(index) }));

  test('are saved by the hundred, and wait for no saving', async () => {
    const checkpoint = memoryCheckpoint();
    const { contacts } = clientOver(async () => contact());
    expect(await contacts.upsertMany(rows(1_000), { checkpoint })).toMatchObject({ done: 1_000 });

    expect(checkpoint.saves()).toBeLessThanOrEqual(11);
    expect(checkpoint.saved()).toMatchObject({ operation: 'contacts.upsert', done: [[0, 999]] });
  });

  test('are saved with the hundredth that ended, and not before', async () => {
    const checkpoint = memoryCheckpoint();
    const savesAtRequest: number[] = [];
    const { contacts } = clientOver(async () => {
      savesAtRequest.push(checkpoint.saves());
      return contact();
    });
    await contacts.upsertMany(rows(202), { checkpoint, concurrency: 1 });

    expect([99, 100, 199, 200].map((index) => savesAtRequest[index])).toEqual([0, 1, 1, 2]);
    expect(checkpoint.saves()).toBe(3);
  });

  test('of an unknown outcome are made again by the next run', async () => {
    const checkpoint = memoryCheckpoint();
    let up = false;
    const { contacts } = clientOver(async () => (up ? contact() : refusal(500, 'internal')));
    expect(await contacts.upsertMany(rows(3), { checkpoint })).toMatchObject({ unknown: 3 });
    up = true;

    expect(await contacts.upsertMany(rows(3), { checkpoint })).toMatchObject({ done: 3, skipped: 0 });
  });
});

test('the checkpoint stays small: ranges, not items', async () => {
  const service = heldService();
  const checkpoint = memoryCheckpoint();
  const summary = clientOver(service.fetch).transactional.sendMany(sends(6), { checkpoint, concurrency: 6 });
  await until(() => service.waiting().length === 6);
  for (const index of [5, 1, 3, 2]) service.answer(index);
  await settle();
  expect(checkpoint.saved()).toMatchObject({
    done: [
      [1, 3],
      [5, 5],
    ],
    unknown: [
      [0, 0],
      [4, 4],
    ],
  });
  service.answer(0);
  service.answer(4);
  await summary;
  expect(checkpoint.saved()).toMatchObject({ done: [[0, 5]], unknown: [] });
});

const ranges = (done: unknown) => ({ version: 2, operation, done, rejected: [], unknown: [] });

test.each([
  ['text', 'garbage'],
  ['another version', { ...ranges([]), version: 3 }],
  ['without the list of version 1', { ...ranges([]), version: 1 }],
  ['that of another operation', { ...ranges([]), operation: 'contacts.upsert' }],
  ['without ranges', { version: 1, operation }],
  [
    'with ranges that overlap',
    ranges([
      [0, 5],
      [4, 9],
    ]),
  ],
  [
    'with ranges that touch',
    ranges([
      [0, 5],
      [6, 9],
    ]),
  ],
  ['with a range that begins before the input', ranges([[-1, 5]])],
  ['with a range the wrong way round', ranges([[5, 0]])],
  ['with a range of text', ranges([['0', '5']])],
  ['with half a range', ranges([[0]])],
  ['with a range and a half', ranges([[0, 1, 2]])],
  ['with a range without an end', ranges([[0, null]])],
  [
    'with ranges out of order',
    ranges([
      [7, 9],
      [0, 5],
    ]),
  ],
  ['with a range over no whole numbers', ranges([[0, 1.5]])],
  ['with something else than a range', ranges([0])],
  ['with something else than ranges of what was rejected', { ...ranges([]), rejected: 'none' }],
  ['with something else than ranges of what is unknown', { ...ranges([]), unknown: null }],
])('a stored checkpoint that is %s is refused, and nothing is sent', async (_, stored) => {
  let requests = 0;
  const { transactional } = clientOver(async () => {
    requests += 1;
    return sent();
  });
  const checkpoint = { ...memoryCheckpoint(), load: async () => stored };
  const error = await rejection(transactional.sendMany(sends(3), { checkpoint }));

  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({
    operation: 'transactional.sendMany',
    problems: [
      {
        field: 'checkpoint',
        message:
          'holds something else than a checkpoint of transactional.send; give each job a store of its own',
      },
    ],
  });
  expect(requests).toBe(0);
});

test('a stored checkpoint with a single open item between two ranges is read', async () => {
  const stored = ranges([
    [0, 1],
    [3, 3],
  ]);
  const sentTo: number[] = [];
  const { transactional } = clientOver(async (_, init) => {
    sentTo.push(indexOf(init));
    return sent();
  });
  const checkpoint = { ...memoryCheckpoint(), load: async () => stored };

  expect(await transactional.sendMany(sends(5), { checkpoint })).toMatchObject({ done: 2, skipped: 3 });
  expect(sentTo).toEqual([2, 4]);
});

test('a checkpoint that cannot be loaded rejects with the error of its store', async () => {
  const unreadable = new Error('EACCES');
  const load = async () => {
    throw unreadable;
  };
  const run = clientOver(async () => sent()).transactional.sendEach(sends(3), {
    checkpoint: { ...memoryCheckpoint(), load },
  });

  expect(await rejection(collect(run))).toBe(unreadable);
  expect(await rejection(run.summary())).toBe(unreadable);
});

describe('a store that is opened and closed', () => {
  /** A store that notes what is asked of it. */
  function noting(overrides: Partial<CheckpointStore> = {}) {
    const asked: string[] = [];
    const note =
      <Rest extends unknown[], Given>(what: string, then: (...rest: Rest) => Promise<Given>) =>
      (...rest: Rest) => {
        asked.push(what);
        return then(...rest);
      };
    const { load, save } = memoryCheckpoint();
    const store = { open: async () => {}, load, save, close: async () => {}, ...overrides };
    const checkpoint: CheckpointStore = {
      open: note('open', store.open),
      load: note('load', store.load),
      save: note('save', store.save),
      close: note('close', store.close),
    };
    return { checkpoint, asked };
  }

  test('is opened before it is loaded, and closed after the last saving', async () => {
    const { checkpoint, asked } = noting();
    await clientOver(async () => sent()).transactional.sendMany(sends(2), { checkpoint, concurrency: 1 });

    expect(asked.slice(0, 3)).toEqual(['open', 'load', 'save']);
    expect(asked.slice(-2)).toEqual(['save', 'close']);
    expect(asked.filter((what) => what === 'open' || what === 'close')).toHaveLength(2);
  });

  test('and cannot be opened rejects the run with its error, and is not closed', async () => {
    const locked = new Error('another run has it');
    const { checkpoint, asked } = noting({ open: () => Promise.reject(locked) });
    const run = clientOver(async () => sent()).transactional.sendMany(sends(2), { checkpoint });

    expect(await rejection(run)).toBe(locked);
    expect(asked).toEqual(['open']);
  });

  test('and cannot be closed changes nothing about the run', async () => {
    const { checkpoint } = noting({ close: () => Promise.reject(new Error('gone')) });
    const run = clientOver(async () => sent()).transactional.sendMany(sends(2), { checkpoint });

    expect(await run).toMatchObject({ done: 2, stoppedBecause: undefined });
  });

  test('is closed when it holds something else than a checkpoint, and not opened for wrong options', async () => {
    const { checkpoint, asked } = noting({ load: async () => 'garbage' });
    const { transactional } = clientOver(async () => sent());
    await rejection(transactional.sendMany(sends(2), { checkpoint, concurrency: 0 }));
    expect(asked).toEqual([]);
    await rejection(transactional.sendMany(sends(2), { checkpoint }));

    expect(asked).toEqual(['open', 'load', 'close']);
  });
});
