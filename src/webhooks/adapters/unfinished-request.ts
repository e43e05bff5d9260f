import { systemClock } from '../../foundation/clock.js';
import { hasMethods } from '../../foundation/options.js';
import { toBytes } from '../crypto/bytes.js';
import type { ReceiverResponse } from '../receiver/exchange.js';
import type { NodeRequest, WrittenResponse } from './node-exchange.js';

/** The largest rest of an unfinished request that is read and discarded after the response, in bytes. */
const mostDiscarded = 16 * 1024 * 1024;

/** How long the sender may take to send that rest, in milliseconds. */
const longestDiscarding = 2_000;

/** HTTP/2's NO_ERROR: the response is complete, and the rest of the request is not needed (RFC 9113, 8.1). */
const noError = 0;

/**
 * Returns the headers of a response, and ends a request that gets its response before all of it has arrived, so that it does not stay
 * in memory and the response still arrives. Call it before the response is written.
 *
 * - HTTP/2 forbids `Connection`. When the response to an unfinished request is written, the stream is reset with NO_ERROR. The
 *   connection and its other streams continue.
 * - HTTP/1: closing a connection with unread bytes resets it, and the reset may arrive before the response. So the rest of the
 *   request is read and discarded, up to a limit, before the connection is closed. A sender that exceeds the limit, or stalls, is
 *   disconnected. A response over HTTP/1.0 without a length would make Node close the connection at once.
 */
export function headersFor(
  { status, headers, body }: ReceiverResponse,
  request: NodeRequest,
  response: WrittenResponse,
): ReceiverResponse['headers'] {
  const { stream, complete } = request;
  const { Connection: connection, ...others } = headers;
  if (isHttp2Stream(stream)) {
    // Not during the event, because Node 20 ends the process if a stream is reset while it is being written.
    if (complete === false) stream.once('finish', () => systemClock.setTimer(() => stream.close(noError), 0));
    return others;
  }
  if (complete !== false) return headers;
  if (response.shouldKeepAlive === undefined || response.once === undefined)
    return { ...headers, Connection: 'close' };
  const isLast = connection === 'close' || asksToClose(request);
  const closeConnection = isLast ? postponeClosing(request) : () => {};
  response.shouldKeepAlive = !isLast; // Node adds the header for it.
  response.once('finish', () => discardRest(request, closeConnection));
  return status === 204 ? others : { ...others, 'Content-Length': String(toBytes(body).byteLength) };
}

/** Keeps Node from closing the connection when a response with `Connection: close` is written. Returns what closes it. */
function postponeClosing({ socket }: NodeRequest): () => void {
  if (socket?.destroySoon === undefined) return () => socket?.end();
  const close = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {};
  return close;
}

function discardRest(request: NodeRequest, closeConnection: () => void): void {
  let discarded = 0;
  const cutOff = () => request.destroy?.();
  const cancelTimer = systemClock.setTimer(cutOff, longestDiscarding);
  const finish = () => {
    cancelTimer();
    closeConnection();
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

/** Whether the sender wants the connection to be closed after the response. */
function asksToClose({ headers, httpVersion }: NodeRequest): boolean {
  const { connection } = headers;
  return typeof connection === 'string' ? /\bclose\b/i.test(connection) : httpVersion === '1.0';
}

interface Http2Stream {
  once(event: 'finish', listener: () => void): unknown;
  close(code: number): unknown;
}

function isHttp2Stream(stream: unknown): stream is Http2Stream {
  return hasMethods('close', 'once')(stream);
}
