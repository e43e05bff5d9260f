import type { HttpResponse, Reply } from '../../responses/response.js';
import type { EventStream } from '../../subjects/event-stream.js';
import type { AnyControlOperation, ControlledServer } from '../../subjects/operation.js';
import type { Application } from '../application.js';
import { readControlRequest, responseTo } from './serving.js';

/** The comment of a silent stream. Clients ignore it. */
export const idleText = ': nothing happened\n\n';

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Without this header, nginx buffers the events.
  'X-Accel-Buffering': 'no',
};

/** Serves an operation that streams server-sent events. */
export function serveStream(
  application: Application,
  server: ControlledServer,
  operation: AnyControlOperation,
  open: NonNullable<AnyControlOperation['stream']>,
): void {
  const { method, path, status } = operation;
  application.handle(method, path, async (exchange, live): Promise<Reply> => {
    const { request } = exchange;
    const asked = await readControlRequest(application, server, operation, exchange);
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
function piecesOf(
  { reconnectAfter, start, occurrences, textOf }: EventStream<unknown>,
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
