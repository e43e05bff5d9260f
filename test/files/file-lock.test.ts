import { mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { FileLock } from '../../src/files/file-lock.js';
import type { Clock } from '../../src/foundation/clock.js';
import { ManualClock } from '../server/support/manual-clock.js';
import { until } from '../waiting.js';

let folder: string;
let file: string;
let lock: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-lock-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  file = join(folder, 'job.json');
  lock = `${file}.lock`;
});

/** A process: its clock, its lock on the file, and how often the lock has waited for its next look. */
function contender() {
  const clock = new ManualClock();
  let waits = 0;
  const counting: Clock = {
    now: () => clock.now(),
    setTimer(callback, delay) {
      if (delay === 1_000) waits += 1;
      return clock.setTimer(callback, delay);
    },
  };
  const own = new FileLock(file, counting);
  onTestFinished(() => own.release());
  return { clock, lock: own, waits: () => waits };
}

/** Acquires the lock, with what happens before each look. Tells whether it succeeded, and after how many seconds. */
async function acquire(one: ReturnType<typeof contender>, beforeLook: () => unknown = () => {}) {
  const { clock, lock: wanted, waits } = one;
  const seen: { isOurs?: boolean } = {};
  const acquired = wanted.acquire().then((isOurs) => Object.assign(seen, { isOurs }));
  let seconds = 0;
  for (; seen.isOurs === undefined; seconds += 1) {
    await until('a look at the lock', () => waits() > seconds || seen.isOurs !== undefined);
    if (seen.isOurs !== undefined) break;
    await beforeLook();
    clock.pass(1_000);
  }
  await acquired;
  return { isOurs: seen.isOurs, seconds };
}

/** A lock file that was touched this many seconds ago, by the clocks of the contenders. */
async function leftBehind(secondsAgo: number): Promise<void> {
  await writeFile(lock, '');
  const touched = new Date(new ManualClock().now() - 1_000 * secondsAgo);
  await utimes(lock, touched, touched);
}

test('a free lock is taken at once, and gone when it is released', async () => {
  const one = contender();
  expect(await acquire(one)).toEqual({ isOurs: true, seconds: 0 });
  expect(await one.lock.isHeld()).toBe(true);
  expect(await readdir(folder)).toEqual(['job.json.lock']);
  await one.lock.release();
  await one.lock.release();
  expect(await one.lock.isHeld()).toBe(false);
  expect(await readdir(folder)).toEqual([]);
  expect(one.clock.waiting).toBe(0);
});

test('two files of one folder have each their own lock', async () => {
  const other = new FileLock(join(folder, 'other.json'), new ManualClock());
  onTestFinished(() => other.release());
  expect(await acquire(contender())).toMatchObject({ isOurs: true });
  expect(await other.acquire()).toBe(true);
});

test('a lock that its holder touches is left alone, also where the clocks differ by a day', async () => {
  const [holder, late] = [contender(), contender()];
  await acquire(holder);
  late.clock.pass(86_400_000);
  const { isOurs, seconds } = await acquire(late, () => holder.clock.pass(1_000));

  expect(isOurs).toBe(false);
  expect(seconds).toBeLessThanOrEqual(4);
  expect(await holder.lock.isHeld()).toBe(true);
});

test('a lock of version 0.1.0, which its holder never touches, is left alone however old it is', async () => {
  await writeFile(lock, JSON.stringify({ pid: 7, place: 'a machine', id: 'a lock' }));
  const other = contender();
  other.clock.pass(86_400_000);

  expect(await acquire(other)).toEqual({ isOurs: false, seconds: 0 });
  expect(await readdir(folder)).toEqual(['job.json.lock']);
});

test('a lock that its holder gives back meanwhile is taken', async () => {
  const [holder, next] = [contender(), contender()];
  await acquire(holder);

  expect(await acquire(next, () => holder.lock.release())).toEqual({ isOurs: true, seconds: 2 });
});

describe('a lock that nobody touches', () => {
  test.each([
    ['for an hour is watched for three seconds', 3_600, 3],
    ['for eight seconds is watched for three', 8, 3],
    ['for a second is watched until it is ten seconds old', 1, 9],
    ['and is dated in the future is watched for ten seconds', -3_600, 10],
  ])('%s, taken over, and kept for a second before it counts', async (_, secondsAgo, seconds) => {
    await leftBehind(secondsAgo);
    const one = contender();

    expect(await acquire(one)).toEqual({ isOurs: true, seconds: seconds + 1 });
    expect(await one.lock.isHeld()).toBe(true);
    expect(await readdir(folder)).toEqual(['job.json.lock']);
  });

  // Each of them has a clock of its own, so one may stand still while others live through seconds. Then nobody may have it.
  test('is taken over by one of many at most, and by the next one if by none', async () => {
    await leftBehind(60);
    const all = Array.from({ length: 20 }, contender);
    const results = await Promise.all(all.map((one) => acquire(one)));
    const winners = results.filter(({ isOurs }) => isOurs).length;

    expect(winners).toBeLessThanOrEqual(1);
    expect(await Promise.all(all.map((one) => one.lock.isHeld()))).toEqual(
      results.map(({ isOurs }) => isOurs),
    );
    expect((await readdir(folder)).filter((name) => name !== 'job.json.lock')).toEqual([]);
    const oneSecond = () => {
      for (const { clock } of all) clock.pass(1_000);
    };
    expect(await acquire(contender(), oneSecond)).toMatchObject({ isOurs: winners === 0 });
  });

  test('is left to another process that has taken it over in the meantime', async () => {
    await leftBehind(60);
    const [fast, slow] = [contender(), contender()];
    const slowly = acquire(slow, async () => {
      if (!(await fast.lock.isHeld())) await acquire(fast);
    });

    expect(await slowly).toMatchObject({ isOurs: false });
    expect(await fast.lock.isHeld()).toBe(true);
  });
});

describe('a holder', () => {
  test('whose lock was deleted, or taken by another process, no longer holds it and leaves the other alone', async () => {
    const [one, other] = [contender(), contender()];
    await acquire(one);
    await rm(lock);
    expect(await one.lock.isHeld()).toBe(false);
    await acquire(other);
    expect(await one.lock.isHeld()).toBe(false);
    await one.lock.release();

    expect(await other.lock.isHeld()).toBe(true);
  });

  test('whose lock is moved aside and put back by a process that came too late still holds it', async () => {
    const one = contender();
    await acquire(one);
    await rename(lock, `${lock}.aside`);
    expect(await one.lock.isHeld()).toBe(false);
    await rename(`${lock}.aside`, lock);

    expect(await one.lock.isHeld()).toBe(true);
  });
});
