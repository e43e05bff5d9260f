import { expect, onTestFinished, test, vi } from 'vitest';
import { eventText } from '../../../src/server/subjects/event-stream.js';
import { followTogether } from '../../../src/workbench/live/tabs.js';
import { followWorkspace } from '../../../src/workbench/live/workspace.js';
import { Surface } from '../../../src/workbench/surface/surface.js';
import { messageOf } from '../entries.js';
import { respondToRequests } from '../requests.js';

const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000, interval: 5 });

/** The channels of the tabs, which tell each other at once. `isDeaf`: words are lost. */
class FakeChannel {
  static readonly open = new Set<FakeChannel>();
  static isDeaf = false;
  onmessage: ((event: { readonly data: unknown }) => void) | undefined;
  constructor() {
    FakeChannel.open.add(this);
  }
  postMessage(word: unknown): void {
    if (FakeChannel.isDeaf) return;
    for (const each of FakeChannel.open) if (each !== this) each.onmessage?.({ data: structuredClone(word) });
  }
  close(): void {
    FakeChannel.open.delete(this);
  }
}

/** One lock, whose holders take turns. */
class FakeLocks {
  #last: Promise<unknown> = Promise.resolve();
  #isHeld = false;
  async request(
    _: string,
    { ifAvailable = false, signal }: LockOptions,
    hold: (lock: object | null) => Promise<void>,
  ) {
    if (ifAvailable && this.#isHeld) return hold(null);
    const before = this.#last;
    const turn = async () => {
      if (signal?.aborted) throw new Error('It ended while it waited.');
      this.#isHeld = true;
      await hold({});
      this.#isHeld = false;
    };
    if (!this.#isHeld) this.#isHeld = true;
    const held = before.then(turn);
    this.#last = held.catch(() => {});
    return held;
  }
}

/** A server with a journal, and a browser whose tabs follow it. */
function browser({ locks = new FakeLocks() }: { readonly locks?: FakeLocks | undefined } = {}) {
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  FakeChannel.open.clear();
  FakeChannel.isDeaf = false;
  vi.stubGlobal('document', page);
  vi.stubGlobal('navigator', { locks });
  vi.stubGlobal('BroadcastChannel', FakeChannel);
  const streams = new Set<(text: string) => void>();
  const losses = new Set<() => void>();
  const state = { run: 'run', latest: 0, status: 200 };
  const textOf = (number: number) => eventText('entry', messageOf(number), `${state.run}-${number}`);
  const asked = respondToRequests(({ headers, signal }) => {
    if (state.status !== 200) return new Response(null, { status: state.status });
    const [run, last] = headers.get('Last-Event-ID')?.split('-') ?? [];
    const after = run === state.run ? Number(last) : 0;
    const start = { workspaceId: 'acme', resumed: run === state.run, latest: state.latest };
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      start(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        signal.addEventListener('abort', () => {
          if (streams.delete(send)) controller.error(signal.reason);
        });
        streams.add(send);
        losses.add(() => {
          if (streams.delete(send)) controller.close();
        });
        send(eventText('start', start, `${state.run}-${after}`));
        for (let number = after + 1; number <= state.latest; number += 1) send(textOf(number));
      },
    });
    return new Response(body);
  });
  return {
    page,
    asked,
    streams,
    state,
    /** Something happens in the workspace. */
    happen() {
      state.latest += 1;
      for (const send of streams) send(textOf(state.latest));
    },
    loseConnections() {
      for (const lose of losses) lose();
    },
    openTab() {
      const live = followWorkspace(new Surface('test_key'), (...stream) => followTogether('acme', ...stream));
      onTestFinished(() => live.stop());
      return live;
    },
  };
}

type Live = ReturnType<ReturnType<typeof browser>['openTab']>;

const numbersIn = (live: Live) => live.journal.entries.map(({ number }) => number);

test('of twenty tabs one has a connection, and each has each entry once and in order', async () => {
  const { openTab, happen, streams } = browser();
  happen();
  const tabs = Array.from({ length: 20 }, openTab);
  for (const tab of tabs) await eventually(() => numbersIn(tab)).toEqual([1]);
  await eventually(() => streams.size).toBe(1);
  happen();
  happen();
  for (const tab of tabs) await eventually(() => numbersIn(tab)).toEqual([1, 2, 3]);
  for (const tab of tabs) expect(tab.connection.value).toEqual({ kind: 'live', behind: 0 });
  expect(streams.size).toBe(1);
});

test('when the tab that leads closes, another goes on after its own last entry', async () => {
  const { openTab, happen, streams, asked } = browser();
  const [first, second, third] = [openTab(), openTab(), openTab()];
  happen();
  for (const tab of [first, second, third]) await eventually(() => numbersIn(tab)).toEqual([1]);
  await eventually(() => streams.size).toBe(1);
  first.stop();
  await eventually(() => asked.at(-1)?.headers.get('Last-Event-ID')).toBe('run-1');
  await eventually(() => streams.size).toBe(1);
  happen();
  for (const tab of [second, third]) await eventually(() => numbersIn(tab)).toEqual([1, 2]);
  expect(numbersIn(first)).toEqual([1]);
});

test('a tab that freezes lets another lead, and listens when it goes on', async () => {
  const { page, openTab, happen, streams, asked } = browser();
  const first = openTab();
  await eventually(() => streams.size).toBe(1);
  const second = openTab();
  await eventually(() => asked.length).toBe(2);
  await eventually(() => streams.size).toBe(1);
  page.dispatchEvent(new Event('freeze'));
  await eventually(() => asked.length).toBe(3);
  await eventually(() => streams.size).toBe(1);
  page.dispatchEvent(new Event('resume'));
  happen();
  for (const tab of [first, second]) await eventually(() => numbersIn(tab)).toEqual([1]);
  expect(streams.size).toBe(1);
  second.stop();
  await eventually(() => asked.length).toBe(4);
  await eventually(() => streams.size).toBe(1);
  happen();
  await eventually(() => numbersIn(first)).toEqual([1, 2]);
});

test('a tab that did not hear something reads it', async () => {
  const { openTab, happen, streams } = browser();
  const [first, second] = [openTab(), openTab()];
  happen();
  await eventually(() => numbersIn(second)).toEqual([1]);
  await eventually(() => streams.size).toBe(1);
  FakeChannel.isDeaf = true;
  happen();
  await eventually(() => numbersIn(first)).toEqual([1, 2]);
  FakeChannel.isDeaf = false;
  happen();
  // The second one comes while the tab still reads the first.
  happen();
  await eventually(() => numbersIn(second)).toEqual([1, 2, 3, 4]);
  expect(numbersIn(first)).toEqual([1, 2, 3, 4]);
});

test('a tab that listens says at once that the connection of the other is lost', async () => {
  const { openTab, streams, state, asked, loseConnections } = browser();
  const [first, second] = [openTab(), openTab()];
  for (const tab of [first, second]) await eventually(() => tab.connection.value.kind).toBe('live');
  await eventually(() => streams.size).toBe(1);
  const before = asked.length;
  state.status = 503;
  loseConnections();
  for (const tab of [first, second]) await eventually(() => tab.connection.value.kind).toBe('lost');
  expect(asked.slice(before).length).toBeLessThanOrEqual(1);
});

test('after the server restarts, each tab begins again', async () => {
  const { openTab, happen, streams, state } = browser();
  const tabs = [openTab(), openTab()];
  happen();
  for (const tab of tabs) await eventually(() => numbersIn(tab)).toEqual([1]);
  await eventually(() => streams.size).toBe(1);
  state.run = 'next';
  state.latest = 0;
  happen();
  const [first] = tabs;
  first?.stop();
  await eventually(() => tabs[1]?.journal.name).toBe('next');
  expect(tabs[1]?.journal.entries).toEqual([messageOf(1)]);
});

test('each tab says that the connection is lost, and that its key is refused', async () => {
  const { openTab, state } = browser();
  state.status = 503;
  const tabs = [openTab(), openTab()];
  for (const tab of tabs) await eventually(() => tab.connection.value.kind).toBe('lost');
  state.status = 401;
  for (const tab of tabs) await eventually(() => tab.connection.value.kind).toBe('refused');
});

test('without locks, a tab has a connection while it is visible', async () => {
  const { page, openTab, happen, streams } = browser({ locks: undefined });
  vi.stubGlobal('navigator', {});
  const tab = openTab();
  await eventually(() => streams.size).toBe(1);
  page.visibilityState = 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
  await eventually(() => streams.size).toBe(0);
  happen();
  page.visibilityState = 'visible';
  page.dispatchEvent(new Event('visibilitychange'));
  await eventually(() => numbersIn(tab)).toEqual([1]);
});
