import { expect, test } from 'vitest';
import { Work } from '../../../src/server/control/work.js';

test('a task starts after the code that runs now, and settled waits for what tasks start', async () => {
  const done: string[] = [];
  const work = new Work(() => {});
  work.start(async () => {
    done.push('first');
    work.start(async () => {
      await Promise.resolve();
      done.push('second');
    });
  });
  await Promise.resolve();
  expect(done).toEqual([]);
  await work.settled();
  expect(done).toEqual(['first', 'second']);
  await work.settled();
});

test('a failure is told, and does not keep the others from settling', async () => {
  const failures: unknown[] = [];
  const work = new Work((error) => failures.push(error));
  work.start(() => Promise.reject(new Error('kaputt')));
  let done = false;
  work.start(async () => {
    done = true;
  });
  await work.settled();
  expect([failures, done]).toEqual([[new Error('kaputt')], true]);
});
