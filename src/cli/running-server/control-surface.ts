import { readBody } from '../../foundation/read-body.js';
import { aboutDetour, explainConnection } from '../terminal/connection-causes.js';
import { CommandFailure, reasonOf } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import { timeLimit } from '../terminal/time.js';
import { type Output, parsed, reasonIn } from './responses.js';

/** A request to a control surface, without its method and path. */
export interface ControlRequest {
  readonly body?: object;
  /** Of a stream: the id of the event after which it is to continue. */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal;
  /** A field that the response must have. */
  readonly expected?: string;
  /** How long a call without a signal may take, in milliseconds. Default: a minute. */
  readonly timeout?: number;
}

/** How long a call may take unless it says otherwise, in milliseconds. */
export const longestCall = 60_000;

/** The longest response that is read, in bytes. A page of a list has 16 MiB and its last item. */
const longestBody = 64 * 2 ** 20;

/** A client of a server's control surface. */
export type ControlSurface = ReturnType<typeof controlSurface>;

/** @param url - The server's URL, without `/api`. */
export function controlSurface(
  url: string,
  apiKey: string,
  output: Output,
  { env, clock }: Pick<Terminal, 'env' | 'clock'>,
) {
  const { shown } = output;
  const way = {
    url,
    env,
    start: 'Start a server with `messaging-automation serve`, or pass its URL with --url.',
  };
  /** The error for a server without a control surface. */
  const missing = () =>
    new CommandFailure(
      `${url} has no control surface. This command needs a reference server: start one with \`messaging-automation serve\`. ${aboutDetour(way)}`.trimEnd(),
    );
  /** What the server sends. The error of a lost connection says what to do. */
  const received = <Value>(coming: Promise<Value>) =>
    coming.catch((error: unknown): never => {
      const { sentences, code } = explainConnection(error, way);
      const why =
        sentences || `The reason: ${reasonOf(error)}. Look at the server, or pass another URL with --url.`;
      throw new CommandFailure(shown(`No connection to ${url}. ${why}`), { mayPass: true, code });
    });
  // A redirect would send the key to another host, or drop it.
  const get = (path: string, init: RequestInit) =>
    received(fetch(url + path, { ...init, redirect: 'manual' }));
  const text = async (response: Response) => {
    const { body, truncated } = await received(readBody(response, longestBody));
    if (truncated)
      throw new CommandFailure(
        `${url} sends more than ${longestBody / 2 ** 20} MiB. It is no reference server.`,
      );
    return body;
  };
  const refusal = async (response: Response, signal?: AbortSignal) => {
    const { status } = response;
    const reason = shown(reasonIn(await text(response).catch(() => '')));
    const why = reason === '' ? '' : `: ${reason}`;
    if (status >= 500 || status === 429) {
      return new CommandFailure(`${url} responded with ${status}${why}`, { mayPass: true, status });
    }
    const index = await get('/control', { signal: signal ?? null });
    const { operations }: { readonly operations?: unknown } = Object(parsed(await text(index)));
    if (!Array.isArray(operations)) return missing();
    if (status === 401) {
      return new CommandFailure(
        `${url} has no workspace with this key. Pass the right key with --api-key or $MESSAGING_AUTOMATION_API_KEY. serve prints it when it starts.`,
      );
    }
    return new CommandFailure(`${url} refused this with ${status}${why}`, { status });
  };
  const request = async (
    method: string,
    path: string,
    { body, lastEventId, signal }: ControlRequest,
  ): Promise<Response> => {
    const response = await get(path, {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ?? null,
    });
    if (response.ok) return response;
    throw await refusal(response, signal);
  };
  /**
   * Calls an operation, and returns its JSON response: an object, which is empty for an empty response.
   *
   * @throws CommandFailure if the server does not respond, refuses, or its response lacks the expected field.
   */
  const ask = async (
    method: string,
    path: string,
    { expected, timeout = longestCall, signal, ...parts }: ControlRequest = {},
  ): Promise<Readonly<Record<string, unknown>>> => {
    const limit = signal === undefined ? timeLimit(clock, timeout) : { signal, clear: () => {} };
    try {
      const response = await request(method, path, { ...parts, signal: limit.signal });
      const content = await text(response);
      const body = response.status === 204 ? {} : parsed(content);
      const result: Readonly<Record<string, unknown>> = Object(body);
      if (result === body && (expected === undefined || expected in result)) return result;
      throw missing();
    } finally {
      limit.clear();
    }
  };
  return {
    url,
    ...output,
    ask,

    /** Yields the pages of a list. */
    async *pages(path: string, filters: Readonly<Record<string, string>> = {}) {
      const query = new URLSearchParams(filters);
      for (let more: unknown = true; more; ) {
        const page = await ask('GET', `${path}?${query}`, { expected: 'data' });
        yield page;
        more = page.more;
        query.set('cursor', `${page.cursor}`);
      }
    },

    /**
     * Opens a stream of server-sent events.
     *
     * @throws CommandFailure if the server does not respond, refuses, or responds without a stream.
     */
    async stream(path: string, parts: ControlRequest): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
      const response = await request('GET', path, parts);
      const type = response.headers.get('Content-Type') ?? '';
      if (response.body !== null && type.startsWith('text/event-stream')) return response.body;
      await response.body?.cancel();
      throw missing();
    },
  };
}
