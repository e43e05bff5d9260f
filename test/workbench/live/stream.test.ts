import { effect } from '@preact/signals';
import { expect, onTestFinished, test, vi } from 'vitest';
import { idleText } from '../../../src/server/http/control/event-streams.js';
import { eventText } from '../../../src/server/subjects/event-stream.js';
import { followWorkspace } from '../../../src/workbench/live/workspace.js';
import type { JourneyRunRecord } from '../../../src/workbench/surface/entry.js';
import { Surface } from '../../../src/workbench/surface/surface.js';
import { messageOf, runOf, stepOf } from '../entries.js';
import { respondToRequests } from '../requests.js';

const start = (fields: object, id: string) => eventText('start', { workspaceId: 'acme', ...fields }, id);

/** A stream that goes on in silence. */
function open(...events: readonly string[]): Response {
  const bytes = new TextEncoder().encode(events.join(''));
  return new Response(new ReadableStream({ start: (controller) => controller.enqueue(bytes) }));
}

/** Follows a workspace whose streams get these responses in order. */
function follow(responses: readonly Response[], runs: readonly JourneyRunRecord[] = []) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const streams = [...responses];
  const asked = respondToRequests(({ url }) =>
    url.includes('journey-runs') ? Response.json({ data: runs }) : (streams.shift() ?? open()),
  );
  const live = followWorkspace(new Surface('test_key'));
  onTestFinished(() => {
    live.stop();
    vi.useRealTimers();
  });
  /** Lets what has arrived be read, and then time pass. */
  const pass = async (length: number) => {
    for (let turn = 0; turn < 20; turn += 1) await vi.advanceTimersByTimeAsync(0);
    await vi.advanceTimersByTimeAsync(length);
  };
  return { live, asked, pass };
}

test.each([
  [429, 2],
  [503, 2],
  [401, 1],
])('a stream that gets a response %i is asked for %i times, a second apart', async (status, times) => {
  const { asked, pass } = follow([new Response(null, { status })]);
  await pass(999);
  expect(asked).toHaveLength(1);
  await pass(1);
  expect(asked).toHaveLength(times);
});

test('after a lost connection the journal goes on with the next entry', async () => {
  const entries = [eventText('entry', messageOf(1), 'run-1'), eventText('missed', { count: 6 }, 'run-7')];
  const quiet = [idleText, eventText('changed', {})];
  const { live, asked, pass } = follow([
    new Response([start({ resumed: false, latest: 0 }, 'run-0'), ...entries, ...quiet].join('')),
    open(start({ resumed: true, latest: 8 }, 'run-7'), eventText('entry', messageOf(8), 'run-8')),
  ]);
  await pass(1_000);
  await pass(100);
  expect(live.journal.entries).toEqual([messageOf(1), messageOf(8)]);
  expect(live.journal.gone.value).toBe(6);
  expect(live.connection.value).toEqual({ kind: 'live', behind: 0 });
  expect(asked.map(({ headers }) => headers.get('Last-Event-ID'))).toEqual([null, 'run-7']);
});

test('after a restart and after a reset the journal begins again', async () => {
  const after = messageOf(1, { body: 'after' });
  const { live, pass } = follow([
    new Response(start({ resumed: false, latest: 1 }, 'a-0') + eventText('entry', messageOf(1), 'a-1')),
    new Response(start({ resumed: false, latest: 1 }, 'b-0') + eventText('entry', after, 'b-1')),
    open(start({ resumed: true, latest: 2 }, 'b-1'), eventText('cleared', {}, 'b-2')),
  ]);
  await pass(0);
  expect(live.journal.entries).toEqual([messageOf(1)]);
  expect(live.hasRestarted.value).toBe(false);
  await pass(1_000);
  await pass(0);
  expect(live.journal.entries).toEqual([after]);
  expect(live.hasRestarted.value).toBe(true);
  live.hasRestarted.value = false;
  await pass(1_000);
  await pass(100);
  expect(live.hasRestarted.value).toBe(false);
  expect(live.journal.entries).toEqual([]);
  expect(live.connection.value).toEqual({ kind: 'live', behind: 0 });
});

test('the start of the stream says which failed test left the workspace', async () => {
  const failedTest = { name: 'a test', error: 'expected 1 to be 2' };
  const { live, pass } = follow([open(start({ resumed: false, latest: 0, failedTest }, 'a-0'))]);
  expect(live.failedTest.value).toBeUndefined();
  await pass(0);
  expect(live.failedTest.value).toEqual(failedTest);
});

test('journey runs come newest first, each as it was last', async () => {
  const [older, newer] = [runOf({ id: 'run_1', startedAt: 1 }), runOf({ id: 'run_2', startedAt: 2 })];
  const step = eventText('entry', stepOf(1, { ...older, status: 'finished' }), 'a-1');
  const { live, pass } = follow([open(start({ resumed: false, latest: 1 }, 'a-0'), step)], [older, newer]);
  onTestFinished(effect(() => void live.runs.value));
  expect(live.runs.value).toEqual([]);
  await pass(100);
  expect(live.runs.value).toEqual([newer, { ...older, status: 'finished' }]);
});
