import type { Answer } from '../../answers/answer.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import { follow, type Occurrence, type WatchChanges } from '../../workspace-api/follow.js';
import type { Application } from '../application.js';
import type { ReceivedRequest } from '../received-request.js';
import { entryAsJson } from './as-json.js';
import { controlOperations } from './control-operations.js';
import { eventStream, eventStreamHeaders, eventText, idleAfter, idleText } from './server-sent-events.js';
import { readControlRequest } from './serving.js';

const operation = controlOperations.journal.follow;

/** How long a client waits before it connects again. In milliseconds. */
const reconnectAfter = 1_000;

/** Serves the journal as server-sent events. */
export function serveStream(application: Application, watchChanges: WatchChanges): void {
  application.handle(operation.method, operation.path, async (exchange, live): Promise<Answer> => {
    const { request } = exchange;
    const { query } = await readControlRequest(application, operation, exchange);
    const { status } = operation;
    // The response to a HEAD request has no body, so nothing would end the stream.
    if (request.method === 'HEAD') return { status, headers: eventStreamHeaders };
    await live.sharing.current();
    const start = startOf(live, request, query.since);
    const occurrences = follow(live, {
      after: start.after,
      gone: request.gone,
      watchChanges,
      idleAfter,
    });
    return { status, ...eventsOf(live, start, occurrences) };
  });
}

/** The start of a stream. */
interface Start {
  /** The number of the last entry that the client has. */
  readonly after: number;
  /** Whether the stream continues where an earlier stream of the client ended. */
  readonly resumed: boolean;
}

/** Ignores an event id of an earlier process, because the numbers of the journal restart with the process. */
function startOf({ startedAt, history }: LiveWorkspace, request: ReceivedRequest, since?: number): Start {
  const [, run, number] = /^([\da-z]+)-(\d{1,15})$/.exec(request.header('last-event-id') ?? '') ?? [];
  if (run === runOf(startedAt)) return { after: Number(number), resumed: true };
  return { after: since ?? history.latest, resumed: false };
}

function runOf(startedAt: number): string {
  return Math.trunc(startedAt).toString(36);
}

/** The stream's text, event by event. */
function eventsOf(
  { id: workspaceId, startedAt, history: { latest } }: LiveWorkspace,
  { after, resumed }: Start,
  occurrences: AsyncIterable<Occurrence>,
): Pick<Answer, 'headers' | 'pieces'> {
  const idOf = (number: number) => `${runOf(startedAt)}-${number}`;
  return eventStream({
    reconnectAfter,
    start: eventText('start', { workspaceId, resumed, after, latest }, idOf(after)),
    occurrences,
    textOf: (occurrence) => textOf(occurrence, idOf),
  });
}

function textOf(occurrence: Occurrence, idOf: (number: number) => string): string {
  switch (occurrence.kind) {
    case 'entry': {
      const { number, entry } = occurrence;
      return eventText('entry', { number, ...entryAsJson(entry) }, idOf(number));
    }
    case 'missed': {
      const { number, count } = occurrence;
      return eventText('missed', { count }, idOf(number));
    }
    case 'cleared':
      return eventText('cleared', {}, idOf(occurrence.number));
    case 'changed':
      return eventText('changed', {});
    case 'idle':
      return idleText;
  }
}
