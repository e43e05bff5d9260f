import { systemClock } from '../../foundation/clock.js';

/** The most that is read and thrown away of a request that was answered before its end, in bytes. */
const mostDiscarded = 16 * 1024 * 1024;

/** How long its sender may take for that, in milliseconds. */
const longestDiscarding = 2_000;

/** HTTP/2's NO_ERROR: the answer is whole, and the rest of the request is not wanted (RFC 9113, 8.1). */
const noError = 0;

/** What is used of a request to end it. Requests of HTTP/2 have a `stream`, those of HTTP/1 a connection of their own. */
export interface EndableRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** False while there is more of the request to come. */
  readonly complete?: boolean;
  readonly httpVersion?: string;
  readonly stream?: unknown;
  readonly socket?: { end(): unknown };
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  resume?(): unknown;
  destroy?(): unknown;
}

/** What is used of a response to let its answer arrive. */
export interface EndableResponse {
  /** Whether the connection outlives the answer. */
  shouldKeepAlive?: boolean;
  once?(event: 'finish', listener: () => void): unknown;
}

/**
 * Ends a request that is answered before its end, so that nothing of it is held, and the answer arrives all the same.
 * Called before the answer is written.
 *
 * - HTTP/2: once the answer is written, the stream is reset with NO_ERROR. The connection and its other streams go on.
 * - HTTP/1: closing a connection with unread bytes resets it, and the reset may overtake the answer. So what still comes
 *   is read and thrown away, up to a bound. A sender that goes beyond it, or stalls, is cut off.
 *
 * @returns Whether it is taken care of. Otherwise the answer should say that it ends the connection.
 */
export function endUnfinished(request: EndableRequest, response: EndableResponse | undefined): boolean {
  if (request.complete !== false) return true;
  const { stream } = request;
  if (isHttp2Stream(stream)) {
    // Not within the event: Node 20 ends the process where a stream is reset while it is being written.
    stream.once('finish', () => systemClock.setTimer(() => stream.close(noError), 0));
    return true;
  }
  if (response?.shouldKeepAlive === undefined || response.once === undefined) return false;
  response.shouldKeepAlive = true;
  response.once('finish', () => discardRest(request));
  return true;
}

function discardRest(request: EndableRequest): void {
  let discarded = 0;
  const cutOff = () => request.destroy?.();
  const cancelTimer = systemClock.setTimer(cutOff, longestDiscarding);
  const finish = () => {
    cancelTimer();
    // Node was kept from closing it, which is what the sender asked for.
    if (asksToClose(request)) request.socket?.end();
  };
  if (request.complete !== false) {
    finish();
    return;
  }
  request.on('data', ({ byteLength }) => {
    discarded += byteLength;
    if (discarded > mostDiscarded) cutOff();
  });
  request.on('end', finish);
  request.on('close', cancelTimer);
  request.resume?.();
}

function asksToClose({ headers, httpVersion }: EndableRequest): boolean {
  const { connection } = headers;
  return typeof connection === 'string' ? /\bclose\b/i.test(connection) : httpVersion === '1.0';
}

interface Http2Stream {
  once(event: 'finish', listener: () => void): unknown;
  close(code: number): unknown;
}

function isHttp2Stream(stream: unknown): stream is Http2Stream {
  return (
    typeof stream === 'object' &&
    stream !== null &&
    typeof Reflect.get(stream, 'close') === 'function' &&
    typeof Reflect.get(stream, 'once') === 'function'
  );
}
