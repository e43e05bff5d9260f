import { toLatin1 } from '../../../webhooks/crypto/bytes.js';
import type { ListenerOccurrence } from '../../model/listener.js';
import type { HttpResponse, Reply } from '../../responses/response.js';
import type { Feed } from '../../time/feed.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import { follow, type Occurrence, type WatchChanges } from '../../workspace-api/follow.js';
import { listen } from '../../workspace-api/listeners.js';
import type { Application } from '../application.js';
import type { ReceivedRequest } from '../received-request.js';
import type { Asked, ControlOperation, QueryParameters } from './control-operation.js';
import { controlOperations } from './control-operations.js';
import { entryAsJson } from './entry-json.js';
import { readControlRequest, responseTo } from './serving.js';

/** How often a silent stream sends a comment, because proxies close connections after a minute of silence. */
const idleAfter = '15s';

/** The comment of a silent stream. Clients ignore it. */
export const idleText = ': nothing happened\n\n';

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Without this header, nginx buffers the events.
  'X-Accel-Buffering': 'no',
};

/** Formats one event. The client sends `id` in `Last-Event-ID` when it reconnects. */
export function eventText(name: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The events of one connection. */
interface EventStream<Item> {
  /** How long a client waits before it connects again. In milliseconds. */
  readonly reconnectAfter: number;
  /** The first event. */
  readonly start: string;
  readonly occurrences: Feed<Item>;
  readonly textOf: (occurrence: Item) => string;
}

/** Serves the journal, and the delivery attempts of a listener, as server-sent events. */
export function serveStreams(application: Application, watchChanges: WatchChanges): void {
  serveStream(application, controlOperations.journal.follow, async (live, { query, request }) => {
    await live.journal.current();
    return journalStream(live, request, query.since, watchChanges);
  });
  serveStream(application, controlOperations.listeners.attempts, (live, { path: { id }, request }) => ({
    // Less than the timeout of an attempt.
    reconnectAfter: 100,
    occurrences: listen(live, id, { gone: request.gone, idleAfter }),
    start: eventText('start', { workspaceId: live.id, listenerId: id }),
    textOf: attemptText,
  }));
}

function serveStream<Path extends string, Query extends QueryParameters, Item>(
  application: Application,
  operation: ControlOperation<Path, Query, undefined, void>,
  open: (
    live: LiveWorkspace,
    asked: Asked<Path, Query, undefined>,
  ) => EventStream<Item> | Promise<EventStream<Item>>,
): void {
  application.handle(operation.method, operation.path, async (exchange, live): Promise<Reply> => {
    const { request } = exchange;
    const asked = await readControlRequest(application, operation, exchange);
    const { status } = operation;
    // The response to a HEAD request has no body, so nothing would end the stream.
    if (request.method === 'HEAD') return { status, headers };
    // The key may be revoked, or its workspace deleted, while the stream is open.
    const mayRead = () =>
      application.authenticate(exchange).then(
        ({ id }) => id === live.id,
        () => false,
      );
    try {
      return { status, headers, pieces: piecesOf(await open(live, asked), mayRead) };
    } catch (error) {
      return responseTo(error, request.gone.aborted);
    }
  });
}

/** Returns the text of a stream, event by event, until its key is no longer valid. */
function piecesOf<Item>(
  { reconnectAfter, start, occurrences, textOf }: EventStream<Item>,
  mayRead: () => Promise<boolean>,
): NonNullable<HttpResponse['pieces']> {
  let begun = false;
  const next = async (): Promise<IteratorResult<string, undefined>> => {
    if (!begun) {
      begun = true;
      return { done: false, value: `retry: ${reconnectAfter}\n${start}` };
    }
    const { done, value } = await occurrences.next();
    if (done === true || !(await mayRead())) return occurrences.return();
    return { done: false, value: value === undefined ? idleText : textOf(value) };
  };
  // Not a generator, which could not be ended while it waits.
  return { [Symbol.asyncIterator]: () => ({ next, return: () => occurrences.return() }) };
}

/** Ignores an event id of an earlier process, because the numbers of the journal restart with the process. */
function journalStream(
  live: LiveWorkspace,
  request: ReceivedRequest,
  since: number | undefined,
  watchChanges: WatchChanges,
): EventStream<Occurrence> {
  const { id: workspaceId, history } = live;
  const run = Math.trunc(live.startedAt).toString(36);
  const idOf = (number: number) => `${run}-${number}`;
  const [, lastRun, lastNumber] = /^([\da-z]+)-(\d{1,15})$/.exec(request.header('last-event-id') ?? '') ?? [];
  const resumed = lastRun === run;
  const { latest } = history;
  const after = resumed ? Number(lastNumber) : (since ?? latest);
  return {
    reconnectAfter: 1_000,
    occurrences: follow(live, { after, gone: request.gone, watchChanges, idleAfter }),
    start: eventText('start', { workspaceId, resumed, after, latest }, idOf(after)),
    textOf(occurrence) {
      switch (occurrence.kind) {
        case 'entry': {
          const { number, entry } = occurrence;
          return eventText('entry', { number, ...entryAsJson(entry) }, idOf(number));
        }
        case 'missed':
          return eventText('missed', { count: occurrence.count }, idOf(occurrence.number));
        case 'cleared':
          return eventText('cleared', {}, idOf(occurrence.number));
        case 'changed':
          return eventText('changed', { kinds: occurrence.kinds });
      }
    },
  };
}

function attemptText(occurrence: ListenerOccurrence): string {
  switch (occurrence.kind) {
    case 'attempt': {
      const { body, ...others } = occurrence.attempt;
      return eventText('attempt', { ...others, body: btoa(toLatin1(body)) });
    }
    case 'ended': {
      const { attemptId, error } = occurrence;
      return eventText('ended', { attemptId, error });
    }
    case 'removed':
      return eventText('removed', {});
  }
}
