import { systemClock } from '../../foundation/clock.js';

/** The largest rest of an unfinished request that is read and discarded after the response, in bytes. */
const mostDiscarded = 16 * 1024 * 1024;

/** How long the sender may take to send that rest, in milliseconds. */
const longestDiscarding = 2_000;

/** HTTP/2's NO_ERROR: the response is complete, and the rest of the request is not needed (RFC 9113, 8.1). */
const noError = 0;

/** The part of a request that is used to end it. A request over HTTP/2 has a `stream`, one over HTTP/1 a `socket`. */
export interface EndableRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** False until the whole request has arrived. */
  readonly complete?: boolean;
  readonly httpVersion?: string;
  readonly stream?: unknown;
  readonly socket?: { end(): unknown };
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  resume?(): unknown;
  destroy?(): unknown;
}

/** The part of a response that is used so that the sender receives it. */
export interface EndableResponse {
  /** Whether the connection stays open after the response. */
  shouldKeepAlive?: boolean;
  once?(event: 'finish' | 'close', listener: () => void): unknown;
}

/**
 * Ends a request that gets its response before all of it has arrived, so that it does not stay in memory and the response still
 * arrives. Call it before the response is written.
 *
 * - HTTP/2: when the response is written, the stream is reset with NO_ERROR. The connection and its other streams continue.
 * - HTTP/1: closing a connection with unread bytes resets it, and the reset may arrive before the response. So the rest of the
 *   request is read and discarded, up to a limit. A sender that exceeds the limit, or stalls, is disconnected.
 *
 * @returns Whether this function ends the request. Otherwise the response should say that it ends the connection.
 */
export function endUnfinished(request: EndableRequest, response: EndableResponse | undefined): boolean {
  if (request.complete !== false) return true;
  const { stream } = request;
  if (isHttp2Stream(stream)) {
    // Not during the event, because Node 20 ends the process if a stream is reset while it is being written.
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
    // The sender asked to close the connection, and the listeners above kept Node from closing it.
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
