import type { Answer } from '../../answers/answer.js';
import { follow, type Occurrence, type WatchChanges } from '../../hands/follow.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import type { Application } from '../application.js';
import type { ReceivedRequest } from '../received-request.js';
import { entryAsJson } from './as-json.js';
import { controlOperations } from './control-operations.js';
import { readAsked } from './serving.js';

const operation = controlOperations.journal.follow;

/** How long a client waits before it connects again. In milliseconds. */
const reconnectAfter = 1_000;

/** How often a silent stream shows that it is alive: proxies close connections that are silent for a minute. */
const idleAfter = '15s';

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx would hold the events back otherwise.
  'X-Accel-Buffering': 'no',
};

/** Serves the journal as server-sent events. */
export function serveStream(application: Application, watchChanges: WatchChanges): void {
  application.handle(operation.method, operation.path, async (exchange, live): Promise<Answer> => {
    const { request } = exchange;
    const { query } = await readAsked(application, operation, exchange);
    const { status } = operation;
    // The response to a HEAD request has no body, so nothing would ever end one.
    if (request.method === 'HEAD') return { status, headers };
    const start = startOf(live, request, query.since);
    const occurrences = follow(live, {
      after: start.after,
      gone: request.gone,
      watchChanges,
      idleAfter,
    });
    return { status, headers, pieces: eventsOf(live, start, occurrences) };
  });
}

/** Where a stream starts. */
interface Start {
  /** The number of the last entry that the client has. */
  readonly after: number;
  /** Whether the stream goes on where the client's stream ended. */
  readonly resumed: boolean;
}

/** An id of an earlier process says nothing about this one: its numbers began anew. */
function startOf({ startedAt, history }: LiveWorkspace, request: ReceivedRequest, since?: number): Start {
  const [, run, number] = /^([\da-z]+)-(\d{1,15})$/.exec(request.header('last-event-id') ?? '') ?? [];
  if (run === runOf(startedAt)) return { after: Number(number), resumed: true };
  return { after: since ?? history.latest, resumed: false };
}

function runOf(startedAt: number): string {
  return Math.trunc(startedAt).toString(36);
}

/** The stream's text, event by event. No generator: one that waits for its next event could not be ended meanwhile. */
function eventsOf(
  { id: workspaceId, startedAt, history: { latest } }: LiveWorkspace,
  { after, resumed }: Start,
  occurrences: AsyncIterable<Occurrence>,
): AsyncIterable<string> {
  const run = runOf(startedAt);
  const event = (name: string, data: object, number?: number) =>
    `${number === undefined ? '' : `id: ${run}-${number}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const start = event('start', { workspaceId, resumed, after, latest }, after);
  const coming = occurrences[Symbol.asyncIterator]();
  let begun = false;
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (!begun) {
          begun = true;
          return { done: false, value: `retry: ${reconnectAfter}\n${start}` };
        }
        const next = await coming.next();
        return next.done === true ? next : { done: false, value: textOf(next.value, event) };
      },
      async return() {
        await coming.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

function textOf(
  occurrence: Occurrence,
  event: (name: string, data: object, number?: number) => string,
): string {
  switch (occurrence.kind) {
    case 'entry': {
      const { number, entry } = occurrence;
      return event('entry', { number, ...entryAsJson(entry) }, number);
    }
    case 'missed':
      return event('missed', { count: occurrence.count }, occurrence.number);
    case 'changed':
      return event('changed', {});
    case 'idle':
      return ': nothing happened\n\n';
  }
}
