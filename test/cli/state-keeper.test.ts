import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keepState } from '../../src/cli/serve/kept-state.js';
import { StateFile } from '../../src/cli/serve/state-file.js';
import { StateKeeper } from '../../src/cli/serve/state-keeper.js';
import { ManualClock } from '../server/support/manual-clock.js';
import { phone, startServer } from '../server/support/reference.js';
import { FakeTerminal } from './fake-terminal.js';

/** A keeper with a clock, a state, reads and writes that the test steers. */
function keeperOf() {
  const clock = new ManualClock();
  const writes: {
    readonly text: string;
    readonly succeed: () => void;
    readonly fail: (why: string) => void;
  }[] = [];
  const complaints: string[] = [];
  let state = 'first';
  let reading: Promise<void> = Promise.resolve();
  const keeper = new StateKeeper({
    read: async () => {
      const text = state;
      await reading;
      return text;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        writes.push({ text, succeed: resolve, fail: (why) => reject(new Error(why)) });
      }),
    complain: (text) => complaints.push(text),
    setTimer: (callback, delay) => clock.setTimer(callback, delay),
  });
  const change = (to: string) => {
    state = to;
    keeper.changed();
  };
  /** Holds each read open until the returned function is called. */
  const holdReads = () => {
    let release = () => {};
    reading = new Promise((resolve) => (release = resolve));
    return () => release();
  };
  return { keeper, clock, writes, complaints, change, holdReads };
}

/** Lets everything run that waits for nothing. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('changes are gathered, and written within a second, the last of them alone', async () => {
  const { clock, writes, change } = keeperOf();
  change('second');
  change('third');
  await turn();
  expect(writes).toEqual([]);
  clock.pass(999);
  await turn();
  expect(writes.map(({ text }) => text)).toEqual(['third']);
});

test('one write is under way at a time, and what changes meanwhile follows', async () => {
  const { clock, writes, change } = keeperOf();
  change('second');
  clock.pass(1_000);
  await turn();
  change('third');
  clock.pass(10_000);
  await turn();
  expect(writes).toHaveLength(1);
  writes[0]?.succeed();
  await turn();
  clock.pass(999);
  await turn();
  expect(writes.map(({ text }) => text)).toEqual(['second', 'third']);
});

test('a change during a read is written after it', async () => {
  const { clock, writes, change, holdReads } = keeperOf();
  const release = holdReads();
  change('second');
  clock.pass(1_000);
  await turn();
  change('third');
  release();
  await turn();
  writes[0]?.succeed();
  await turn();
  clock.pass(1_000);
  await turn();
  expect(writes.map(({ text }) => text)).toEqual(['second', 'third']);
});

test('what is as it was written is not written again, also at the end', async () => {
  const { keeper, clock, writes, change } = keeperOf();
  const writing = keeper.write();
  await turn();
  writes[0]?.succeed();
  await writing;
  change('first');
  clock.pass(1_000);
  await turn();
  expect(await keeper.close()).toBe(true);
  expect(writes).toHaveLength(1);
  expect(clock.waiting).toBe(0);
});

test('a failure is reported once for each reason, tried again every second, and its end is reported', async () => {
  const { clock, writes, complaints, change } = keeperOf();
  change('second');
  clock.pass(1_000);
  await turn();
  for (const attempt of [0, 1]) {
    writes[attempt]?.fail('ENOSPC: no space left on device');
    await turn();
    clock.pass(999);
    await turn();
    expect(writes).toHaveLength(attempt + 1);
    clock.pass(1);
    await turn();
  }
  expect(complaints).toEqual([expect.stringContaining('ENOSPC: no space left on device')]);
  writes[2]?.fail('EROFS: read-only file system');
  await turn();
  clock.pass(1_000);
  await turn();
  expect(complaints).toHaveLength(2);
  expect(complaints[1]).toContain('EROFS: read-only file system');
  expect(writes).toHaveLength(4);
  writes[3]?.succeed();
  await turn();
  expect(complaints).toHaveLength(3);
  expect(complaints[2]).toContain('is written again');
  expect(clock.waiting).toBe(0);
});

test('the end waits for the write under way, and writes what changed since', async () => {
  const { keeper, clock, writes, change } = keeperOf();
  change('second');
  clock.pass(1_000);
  await turn();
  change('third');
  const closing = keeper.close();
  await turn();
  expect(writes).toHaveLength(1);
  writes[0]?.succeed();
  await expect.poll(() => writes.length).toBe(2);
  writes[1]?.succeed();
  expect(await closing).toBe(true);
  expect(writes.map(({ text }) => text)).toEqual(['second', 'third']);
  expect(clock.waiting).toBe(0);
});

test('a change during the first write of a server is written too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kept-state-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = await StateFile.open(join(folder, 'state.json'));
  const server = startServer();
  const written: string[] = [];
  let succeed = () => {};
  vi.spyOn(file, 'write').mockImplementation(async (text) => {
    written.push(text);
    if (written.length === 1) await new Promise<void>((resolve) => (succeed = resolve));
  });
  const keeping = keepState(server, file, new FakeTerminal());
  await expect.poll(() => written.length).toBe(1);
  await server.client.contacts.upsert({ phone, properties: { firstName: 'Ada' } });
  succeed();
  const writeLast = await keeping;
  await expect.poll(() => written.at(-1), { timeout: 5_000 }).toContain('Ada');
  await writeLast();
  await file.close();
});
