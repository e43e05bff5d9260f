import { createHook } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { clientOver, collect, indexOf, sends, sent, settle } from './support.js';

/** A client, and how many requests it has made. */
function counted() {
  const requests: number[] = [];
  const { transactional } = clientOver(async (_, init) => {
    requests.push(indexOf(init));
    return sent();
  });
  return { transactional, requests };
}

describe('sendMany', () => {
  test('is a promise like any other: it starts at once, and may be caught and returned', async () => {
    const { transactional, requests } = counted();
    const run = async () => transactional.sendMany(sends(3));
    let ended = false;
    const summary = await run()
      .catch(() => undefined)
      .finally(() => {
        ended = true;
      });

    expect(summary).toMatchObject({ done: 3, stoppedBecause: undefined });
    expect(requests).toEqual([0, 1, 2]);
    expect(ended).toBe(true);
  });

  test('whose promise nobody awaits works through its items all the same', async () => {
    const { transactional, requests } = counted();
    void transactional.sendMany(sends(3));
    while (requests.length < 3) await settle();

    expect(requests).toEqual([0, 1, 2]);
  });
});

describe('sendEach', () => {
  test('starts with the loop, or with summary(), and once', async () => {
    const { transactional, requests } = counted();
    const run = transactional.sendEach(sends(3));
    await settle();
    expect(requests).toEqual([]);

    expect(await Promise.all([run.summary(), run.summary()])).toMatchObject([{ done: 3 }, { done: 3 }]);
    expect(requests).toEqual([0, 1, 2]);
    expect(() => run[Symbol.asyncIterator]()).toThrow(
      new TypeError('A bulk run yields its outcomes once: iterate it before you call summary().'),
    );
  });

  test('is whole after an async function returned it, and after an await', async () => {
    const { transactional, requests } = counted();
    const run = await (async () => transactional.sendEach(sends(3)))();
    await settle();
    expect(requests).toEqual([]);

    expect(await collect(run)).toHaveLength(3);
    expect(await run.summary()).toMatchObject({ done: 3 });
  });

  test('goes on in a second loop over its iterator, where the first asked it by hand', async () => {
    const outcomes = counted().transactional.sendEach(sends(3), { concurrency: 1 })[Symbol.asyncIterator]();
    expect(await outcomes.next()).toMatchObject({ done: false, value: { index: 0 } });

    expect(await collect(outcomes)).toMatchObject([{ index: 1 }, { index: 2 }]);
  });

  test('may be iterated and summed up at the same time', async () => {
    const run = counted().transactional.sendEach(sends(9));
    const [outcomes, summary] = await Promise.all([collect(run), run.summary()]);

    expect(outcomes).toHaveLength(9);
    expect(summary.done).toBe(9);
  });
});

describe('promises as items', () => {
  test('are unwrapped', async () => {
    const { transactional } = counted();
    const inputs = sends(3).map((input) => Promise.resolve(input));
    const outcomes = await collect(transactional.sendEach(inputs, { concurrency: 1 }));

    expect(outcomes).toMatchObject(sends(3).map((input, index) => ({ status: 'done', index, input })));
  });

  test('that reject end the run as an input that throws does, and close the input', async () => {
    const broken = new Error('no such row');
    let closed = false;
    function* inputs() {
      try {
        yield* sends(1);
        yield Promise.reject(broken);
        yield* sends(1);
      } finally {
        closed = true;
      }
    }
    const { transactional, requests } = counted();

    expect(await transactional.sendMany(inputs())).toMatchObject({
      done: 1,
      stoppedBecause: { reason: 'input_failed', error: broken, index: 1 },
    });
    expect(requests).toEqual([0]);
    expect(closed).toBe(true);
  });
});

test('a place is opened for an item that comes, not for each that might', async () => {
  const { transactional } = counted();
  await transactional.sendMany(sends(1)); // loads what it loads
  let promises = 0;
  const hook = createHook({
    init(_, type) {
      if (type === 'PROMISE') promises += 1;
    },
  }).enable();
  const summary = await transactional.sendMany(sends(3), { concurrency: 100_000 });
  hook.disable();

  expect(summary.done).toBe(3);
  expect(promises).toBeLessThan(5_000);
});
