import { CommandFailure, reasonOf } from '../terminal/failures.js';
import { type Output, parsed, reasonIn } from './responses.js';

/** A request to a control surface, without its method and path. */
export interface ControlRequest {
  readonly body?: object;
  /** Of a stream: the id of the event after which it is to continue. */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal;
  /** A field that the response must have. */
  readonly expected?: string;
}

/** A client of a server's control surface. */
export type ControlSurface = ReturnType<typeof controlSurface>;

/** @param url - The server's URL, without `/api`. */
export function controlSurface(url: string, apiKey: string, output: Output) {
  const { shown } = output;
  /** The error for a server without a control surface. */
  const missing = () =>
    new CommandFailure(
      `${url} has no control surface. This command needs a reference server: start one with \`messaging-automation serve\`.`,
    );
  /** What the server sends. The error of a lost connection says what to do. */
  const received = <Value>(coming: Promise<Value>) =>
    coming.catch((error: unknown): never => {
      throw new CommandFailure(
        `Nothing responds at ${url} (${shown(reasonOf(error))}). Start a server with \`messaging-automation serve\`, or pass its URL with --url.`,
        { mayPass: true },
      );
    });
  // A redirect would send the key to another host, or drop it.
  const get = (path: string, init: RequestInit) =>
    received(fetch(url + path, { ...init, redirect: 'manual' }));
  const refusal = async (response: Response, signal?: AbortSignal) => {
    const { status } = response;
    const reason = shown(reasonIn(await response.text().catch(() => '')));
    const why = reason === '' ? '' : `: ${reason}`;
    if (status >= 500 || status === 429) {
      return new CommandFailure(`${url} responded with ${status}${why}`, { mayPass: true });
    }
    const index = await get('/control', { signal: signal ?? null });
    const { operations }: { readonly operations?: unknown } = Object(parsed(await received(index.text())));
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
    { expected, ...parts }: ControlRequest = {},
  ): Promise<Readonly<Record<string, unknown>>> => {
    const response = await request(method, path, parts);
    const text = await received(response.text());
    const body = response.status === 204 ? {} : parsed(text);
    const result: Readonly<Record<string, unknown>> = Object(body);
    if (result === body && (expected === undefined || expected in result)) return result;
    throw missing();
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
