import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../foundation/clock.js';
import { ServiceError } from '../model/service-error.js';
import type { HttpResponse, Reply } from '../responses/response.js';
import type { Application } from './application.js';
import { BodyPieces, incompleteBody, type ServerRequest, tooLarge } from './server-request.js';

/** Options of `listen`: the port and the host. */
export type ListenOptions = {
  /** The port. Default: 0, which means any free port. */
  readonly port?: number | undefined;
  /** The address to listen on. Default: `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined;
};

/** Serves the application on a socket. Only this function loads Node's HTTP, because the application itself does not need it. */
export async function listen(
  application: Application,
  clock: Clock,
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<{ readonly server: Server; readonly url: string }> {
  const { createServer } = await import('node:http');
  const lines = new WeakMap<Socket, Line>();
  const received: RequestListener = (incoming, response) => {
    const { socket } = incoming;
    const line = lines.get(socket) ?? new Line();
    lines.set(socket, line);
    line.join(socket, response, () => respond(application, clock, incoming, response));
  };
  const server = createServer(received);
  // The server refuses a body that is too large before the client sends it.
  server.on('checkContinue', received);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return { server, url: `http://${reachable(host)}:${bound}` };
}

/** Accepts no more connections. Resolves when all running requests have responses and their connections have ended. */
export function stopListening(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Close each connection after its response, instead of waiting for another request.
  server.keepAliveTimeout = 1;
  return ended;
}

/** The largest number of requests that wait on one connection. */
const longestLine = 1_000;

/**
 * The requests of one connection, which run one after the other. A client that pipelines sends the next request before it has the
 * response, and Node then reports both at once.
 */
class Line {
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  /** Runs a request when the ones before it have their responses. Never runs it if the client disconnects before. */
  join(socket: Socket, response: ServerResponse, run: () => void): void {
    const start = () => {
      this.#isBusy = true;
      // Deno reports only the first of the two.
      response.once('finish', next);
      response.once('close', next);
      run();
    };
    const next = () => {
      response.off('finish', next).off('close', next);
      this.#isBusy = false;
      if (!socket.destroyed) this.#waiting.shift()?.();
    };
    if (!this.#isBusy) start();
    else if (this.#waiting.length < longestLine) this.#waiting.push(start);
    else socket.destroy();
  }
}

/** Returns the host for a URL. Replaces a wildcard address with the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** How long the server reads the rest of a body that it does not use. In milliseconds. */
const timeForTheRest = 500;

/** Handles a request from a socket. */
export function respond(
  application: Application,
  clock: Clock,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const target = targetOf(incoming);
  let holdsBodyBack = incoming.headers.expect !== undefined;
  const letBodyCome = () => {
    if (holdsBodyBack) response.writeContinue();
    holdsBodyBack = false;
  };
  const responding =
    target === undefined
      ? application.refuse(invalidTarget)
      : application.respond(new IncomingRequest(incoming, response, target, letBodyCome));
  void responding.then(async (received) => {
    // The client may send its body anyway or begin another request, and the server cannot distinguish the two.
    if (holdsBodyBack) response.shouldKeepAlive = false;
    // Closing a connection with unread bytes resets it, and the client never sees the response.
    else if (!incoming.complete && !response.shouldKeepAlive) await discardRest(incoming, clock);
    reply(received, incoming, response, clock);
  });
}

const invalidTarget = new ServiceError(
  'invalid_request',
  'The request line or the Host header is not valid.',
);

/** The target of a request: its path and query. */
type Target = Pick<URL, 'pathname' | 'search'>;

/** A path and a query that a URL parser would not change: without dot segments or characters to encode. */
const plainTarget = /^((?:\/(?!\.)[\w~%:@+=,;!.-]*)+)(\?[\w~%:@+=,;!./?&-]*)?$/;

/**
 * The characters of a host and a port, if there are any: HTTP/1.0 has no Host header, and load balancers check with it. Node refuses
 * HTTP/1.1 without one.
 */
const hostPattern = /^[\w.~%!$&'()*+,;=:[\]-]*$/;

/** The target of the request. Undefined if the request line or the Host header is invalid. */
function targetOf({ url = '', headers: { host = '' } }: IncomingMessage): Target | undefined {
  if (!hostPattern.test(host)) return undefined;
  const plain = plainTarget.exec(url);
  if (plain !== null) return { pathname: plain[1] ?? '', search: plain[2] ?? '' };
  const text = url.startsWith('/') ? `http://server${url}` : url;
  // Parsers disagree on whether a backslash is a slash.
  const isSensible = /^https?:\/\//.test(text) && !url.includes('\\');
  return isSensible && URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * Adapts Node's request for the application. It is a class because V8 creates a hidden class for each object literal with
 * a getter, which keeps the request in memory until the next full garbage collection.
 */
class IncomingRequest implements ServerRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #letBodyCome: () => void;

  constructor(incoming: IncomingMessage, response: ServerResponse, target: Target, letBodyCome: () => void) {
    this.method = incoming.method ?? 'GET';
    this.path = target.pathname;
    this.search = target.search;
    this.#incoming = incoming;
    this.#response = response;
    this.#letBodyCome = letBodyCome;
  }

  get localAddress(): string {
    return this.#incoming.socket.localAddress ?? '';
  }

  get gone(): AbortSignal {
    return closingOf(this.#response);
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  *headers(): Iterable<readonly [name: string, value: string]> {
    // Names and values in turn.
    const { rawHeaders } = this.#incoming;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      yield [rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''];
    }
  }

  async readBody(limit: number): Promise<Uint8Array<ArrayBuffer>> {
    if (Number(this.header('content-length') ?? 0) > limit) throw tooLarge(limit);
    this.#letBodyCome();
    return bytesOf(this.#incoming, limit);
  }
}

/**
 * Reads a body to its end, by its events, because an iterator takes several times as long. The connection stays open for the response, also
 * to a body that is too large.
 */
function bytesOf(incoming: IncomingMessage, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces = new BodyPieces(limit);
  return new Promise((resolve, reject) => {
    const leave = () =>
      incoming.off('data', take).off('end', end).off('error', fail).off('close', fail).pause();
    const end = () => {
      leave();
      resolve(pieces.join());
    };
    const fail = () => {
      leave();
      reject(incompleteBody());
    };
    const take = (piece: Uint8Array) => {
      try {
        pieces.add(piece);
      } catch (error) {
        leave();
        reject(error);
      }
    };
    // The client may have gone before.
    if (incoming.destroyed) fail();
    else incoming.on('data', take).on('end', end).on('error', fail).on('close', fail);
  });
}

/** Aborts when the response was sent or the connection closed. */
function closingOf(response: ServerResponse): AbortSignal {
  const closing = new AbortController();
  if (response.closed) closing.abort();
  else response.once('close', () => closing.abort());
  return closing.signal;
}

/** Sends the reply, and reads the rest of the request's body, so that the client can read the reply. */
function reply(received: Reply, incoming: IncomingMessage, response: ServerResponse, clock: Clock): void {
  if (received.status === 'reset') {
    incoming.socket.resetAndDestroy();
    return;
  }
  if (received.pieces !== undefined) void sendPieces(received, received.pieces, response);
  else if (received.stalledBy === undefined) send(received, response);
  else stall(received, incoming, response);
  if (incoming.complete) return;
  void discardRest(incoming, clock).then(() => {
    if (!incoming.complete) incoming.destroy();
  });
}

function send({ status, headers, body, bytes }: HttpResponse, response: ServerResponse): void {
  const content = bytes ?? body;
  if (content === undefined) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(content) }).end(content);
}

/** Sends each piece when it is available, and no faster than the client reads. */
async function sendPieces(
  { status, headers }: HttpResponse,
  pieces: AsyncIterable<string>,
  response: ServerResponse,
): Promise<void> {
  const [{ Readable }, { pipeline }] = await Promise.all([
    import('node:stream'),
    import('node:stream/promises'),
  ]);
  response.writeHead(status, headers).flushHeaders();
  // A client that disconnects also ends the pieces. It needs no response.
  await pipeline(Readable.from(pieces, { highWaterMark: 1 }), response).catch(() => {});
}

/** Sends half of the body, if there is one, and then stalls until the client disconnects or the workspace closes. */
function stall(
  { status, headers, body, stalledBy }: HttpResponse,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  if (body !== undefined) {
    const bytes = Buffer.from(body);
    response.writeHead(status, { ...headers, 'Content-Length': bytes.byteLength });
    response.write(bytes.subarray(0, Math.floor(bytes.byteLength / 2)));
  }
  const forget = stalledBy?.add(() => incoming.socket.resetAndDestroy());
  response.once('close', () => forget?.());
}

/** Reads the rest of the request's body, for at most `timeForTheRest`. */
function discardRest(incoming: IncomingMessage, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = clock.setTimer(resolve, timeForTheRest);
    const end = () => {
      cancelTimer();
      resolve();
    };
    incoming.once('end', end).once('close', end).resume();
  });
}
