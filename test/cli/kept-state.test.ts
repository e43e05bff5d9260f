import { expect, test } from 'vitest';
import { StateKeeper } from '../../src/cli/serve/state-keeper.js';
import { ManualClock } from '../server/support/manual-clock.js';
import { settle } from '../waiting.js';
import { FakeTerminal } from './fake-terminal.js';

/**
 * A state that is kept, after its first write, with a clock, reads and writes that the test steers.
 *
 * @param duringFirst - What it changes to during the first write.
 */
async function keeping(duringFirst?: string) {
  const clock = new ManualClock();
  const texts: string[] = [];
  const ends: { readonly resolve: () => void; readonly reject: (why: Error) => void }[] = [];
  const terminal = new FakeTerminal({ clock });
  let note = 'first';
  let tell = () => {};
  let reading: Promise<void> = Promise.resolve();
  const server = {
    state: async () => {
      const state = Object({ version: 2, workspaces: [note] });
      await reading;
      return state;
    },
    onChange: (changed: () => void) => {
      tell = changed;
      return () => {};
    },
  };
  const write = (pieces: Iterable<string>) =>
    new Promise<string | undefined>((resolve, reject) => {
      texts.push(JSON.parse([...pieces].join('')).workspaces[0]);
      ends.push({ resolve: () => resolve(undefined), reject });
      if (texts.length > 1) return;
      if (duringFirst !== undefined) change(duringFirst);
      resolve(undefined);
    });
  const change = (to: string) => {
    note = to;
    tell();
  };
  const keeper = new StateKeeper(server, { path: 'state.json', write }, terminal);
  await keeper.start();
  return {
    close: () => keeper.end(),
    clock,
    /** What was written, or is. */
    texts,
    terminal,
    change,
    async pass(milliseconds: number) {
      clock.pass(milliseconds);
      await settle();
    },
    /** Ends the last write, badly where there is a reason. */
    async end(why?: string) {
      if (why === undefined) ends.at(-1)?.resolve();
      else ends.at(-1)?.reject(new Error(why));
      await settle();
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
  const { texts, change, pass } = await keeping();
  change('second');
  change('third');
  expect(texts).toEqual(['first']);
  await pass(999);
  expect(texts).toEqual(['first', 'third']);
});

test('one write is under way at a time, and what changes meanwhile follows', async () => {
  const { texts, change, pass, end } = await keeping();
  change('second');
  await pass(1_000);
  change('third');
  await pass(10_000);
  expect(texts).toHaveLength(2);
  await end();
  await pass(999);
  expect(texts).toEqual(['first', 'second', 'third']);
});

test('a change during a read is written after it', async () => {
  const { texts, change, pass, end, holdReads } = await keeping();
  const release = holdReads();
  change('second');
  await pass(1_000);
  change('third');
  release();
  await settle();
  await end();
  await pass(1_000);
  expect(texts).toEqual(['first', 'second', 'third']);
});

test('nothing is written at the end if nothing has changed since', async () => {
  const { close, clock, texts, change, pass, end } = await keeping();
  change('second');
  await pass(1_000);
  await end();
  expect(await close()).toBe(true);
  expect(texts).toEqual(['first', 'second']);
  expect(clock.waiting).toBe(0);
});

test('after a long write, the next one waits as long', async () => {
  const { texts, change, pass, end } = await keeping();
  change('second');
  await pass(250);
  await pass(3_000);
  await end();
  change('third');
  await pass(2_999);
  expect(texts).toEqual(['first', 'second']);
  await pass(1);
  expect(texts).toEqual(['first', 'second', 'third']);
});

test('a failure is reported once for each reason, tried again every second, and its end is reported', async () => {
  const { clock, texts, terminal, change, pass, end } = await keeping();
  change('second');
  await pass(1_000);
  for (const attempts of [2, 3]) {
    await end('ENOSPC: no space left on device');
    await pass(999);
    expect(texts).toHaveLength(attempts);
    await pass(1);
  }
  await end('EROFS: read-only file system');
  await pass(1_000);
  expect(texts).toHaveLength(5);
  await end();
  const told = terminal.complaints.match(/ENOSPC|EROFS|state is written/g);
  expect(told).toEqual(['ENOSPC', 'EROFS', 'state is written']);
  expect(clock.waiting).toBe(0);
});

test('the end waits for the write under way, and writes what changed since', async () => {
  const { close, clock, texts, change, pass, end } = await keeping();
  change('second');
  await pass(1_000);
  change('third');
  const closing = close();
  await settle();
  expect(texts).toHaveLength(2);
  await end();
  await expect.poll(() => texts).toEqual(['first', 'second', 'third']);
  await end();
  expect(await closing).toBe(true);
  expect(clock.waiting).toBe(0);
});

test('a change during the first write is written too', async () => {
  const { texts, pass } = await keeping('second');
  await pass(1_000);
  expect(texts).toEqual(['first', 'second']);
});
