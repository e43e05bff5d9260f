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

/** Lets everything run that waits for nothing. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A keeper with a clock, a state, reads and writes that the test steers. */
function keeperOf() {
  const clock = new ManualClock();
  const texts: string[] = [];
  const ends: { readonly resolve: () => void; readonly reject: (why: Error) => void }[] = [];
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
        texts.push(text);
        ends.push({ resolve, reject });
      }),
    complain: (text) => complaints.push(text),
    clock,
  });
  return {
    keeper,
    clock,
    /** What was written, or is. */
    texts,
    complaints,
    change(to: string) {
      state = to;
      keeper.changed();
    },
    async pass(milliseconds: number) {
      clock.pass(milliseconds);
      await turn();
    },
    /** Ends the last write, badly where there is a reason. */
    async end(why?: string) {
      if (why === undefined) ends.at(-1)?.resolve();
      else ends.at(-1)?.reject(new Error(why));
      await turn();
    },
    /** Holds each read open until the returned function is called. */
    holdReads() {
      let release = () => {};
      reading = new Promise((resolve) => (release = resolve));
      return () => release();
    },
  };
}

test('changes are gathered, and written within a second, the last of them alone', async () => {
  const { texts, change, pass } = keeperOf();
  change('second');
  change('third');
  await turn();
  expect(texts).toEqual([]);
  await pass(999);
  expect(texts).toEqual(['third']);
});

test('one write is under way at a time, and what changes meanwhile follows', async () => {
  const { texts, change, pass, end } = keeperOf();
  change('second');
  await pass(1_000);
  change('third');
  await pass(10_000);
  expect(texts).toHaveLength(1);
  await end();
  await pass(999);
  expect(texts).toEqual(['second', 'third']);
});

test('a change during a read is written after it', async () => {
  const { texts, change, pass, end, holdReads } = keeperOf();
  const release = holdReads();
  change('second');
  await pass(1_000);
  change('third');
  release();
  await turn();
  await end();
  await pass(1_000);
  expect(texts).toEqual(['second', 'third']);
});

test('what is as it was written is not written again, also at the end', async () => {
  const { keeper, clock, texts, change, pass, end } = keeperOf();
  const writing = keeper.write();
  await turn();
  await end();
  await writing;
  change('first');
  await pass(1_000);
  expect(await keeper.close()).toBe(true);
  expect(texts).toHaveLength(1);
  expect(clock.waiting).toBe(0);
});

test('a failure is reported once for each reason, tried again every second, and its end is reported', async () => {
  const { clock, texts, complaints, change, pass, end } = keeperOf();
  change('second');
  await pass(1_000);
  for (const attempts of [1, 2]) {
    await end('ENOSPC: no space left on device');
    await pass(999);
    expect(texts).toHaveLength(attempts);
    await pass(1);
  }
  await end('EROFS: read-only file system');
  await pass(1_000);
  expect(texts).toHaveLength(4);
  await end();
  expect(complaints).toEqual([
    expect.stringContaining('ENOSPC: no space left on device'),
    expect.stringContaining('EROFS: read-only file system'),
    expect.stringContaining('is written again'),
  ]);
  expect(clock.waiting).toBe(0);
});

test('the end waits for the write under way, and writes what changed since', async () => {
  const { keeper, clock, texts, change, pass, end } = keeperOf();
  change('second');
  await pass(1_000);
  change('third');
  const closing = keeper.close();
  await turn();
  expect(texts).toHaveLength(1);
  await end();
  await expect.poll(() => texts).toEqual(['second', 'third']);
  await end();
  expect(await closing).toBe(true);
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
