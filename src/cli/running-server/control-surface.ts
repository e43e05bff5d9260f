import type { Clock } from '../../foundation/clock.js';
import { readBody } from '../../foundation/read-body.js';
import { aboutDetour, explainConnection, type Way } from '../terminal/connection-causes.js';
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

/** The body of a response: an object, which is empty for an empty response. */
export type ControlResponse = Readonly<Record<string, unknown>>;

/** A client of a server's control surface. */
export class ControlSurface {
  /** The server's URL, without `/api`. */
  readonly url: string;
  readonly shown: Output['shown'];
  readonly json: Output['json'];
  readonly report: Output['report'];
  readonly #apiKey: string;
  readonly #clock: Clock;
  readonly #way: Way;

  constructor(url: string, apiKey: string, output: Output, { env, clock }: Pick<Terminal, 'env' | 'clock'>) {
    this.url = url;
    this.shown = output.shown;
    this.json = output.json;
    this.report = output.report;
    this.#apiKey = apiKey;
    this.#clock = clock;
    const start = 'Start a server with `messaging-automation serve`, or pass its URL with --url.';
    this.#way = { url, env, start };
  }

  /**
   * Calls an operation, and returns its JSON response.
   *
   * @throws CommandFailure if the server does not respond, refuses, or its response lacks the expected field.
   */
  async ask(
    method: string,
    path: string,
    { expected, timeout = longestCall, signal, ...parts }: ControlRequest = {},
  ): Promise<ControlResponse> {
    const limit = signal === undefined ? timeLimit(this.#clock, timeout) : { signal, clear: () => {} };
    try {
      const response = await this.#request(method, path, { ...parts, signal: limit.signal });
      const text = await this.#textOf(response);
      const body = response.status === 204 ? {} : parsed(text);
      const result: ControlResponse = Object(body);
      if (result === body && (expected === undefined || expected in result)) return result;
      throw this.#missing();
    } finally {
      limit.clear();
    }
  }

  /** Returns the items of a list that has no pages. */
  async list(path: string): Promise<readonly ControlResponse[]> {
    const { data } = await this.ask('GET', path, { expected: 'data' });
    return Array.isArray(data) ? data.map(Object) : [];
  }

  /** Yields the pages of a list. */
  async *pages(
    path: string,
    filters: Readonly<Record<string, string>> = {},
  ): AsyncGenerator<ControlResponse, void, undefined> {
    const query = new URLSearchParams(filters);
    for (let more: unknown = true; more; ) {
      const page = await this.ask('GET', `${path}?${query}`, { expected: 'data' });
      yield page;
      more = page.more;
      query.set('cursor', `${page.cursor}`);
    }
  }

  /**
   * Opens a stream of server-sent events.
   *
   * @throws CommandFailure if the server does not respond, refuses, or responds without a stream.
   */
  async stream(path: string, parts: ControlRequest): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const response = await this.#request('GET', path, parts);
    const type = response.headers.get('Content-Type') ?? '';
    if (response.body !== null && type.startsWith('text/event-stream')) return response.body;
    await response.body?.cancel();
    throw this.#missing();
  }

  /** Makes a request with the key, and returns its response, which is a success. */
  async #request(
    method: string,
    path: string,
    { body, lastEventId, signal }: ControlRequest,
  ): Promise<Response> {
    const response = await this.#fetch(path, {
      method,
      headers: {
        Authorization: `Bearer ${this.#apiKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ?? null,
    });
    if (response.ok) return response;
    throw await this.#refusalIn(response, signal);
  }

  /** Why the server refused a request: its reason, if it is a reference server. */
  async #refusalIn(response: Response, signal?: AbortSignal): Promise<CommandFailure> {
    const { status } = response;
    const reason = this.shown(reasonIn(await this.#textOf(response).catch(() => '')));
    const why = reason === '' ? '' : `: ${reason}`;
    if (status >= 500 || status === 429)
      return new CommandFailure(`${this.url} responded with ${status}${why}`, { mayPass: true, status });
    if (!(await this.#hasOperations(signal))) return this.#missing();
    if (status === 401)
      return new CommandFailure(
        `${this.url} has no workspace with this key. Pass the right key with --api-key or $MESSAGING_AUTOMATION_API_KEY. serve prints it when it starts.`,
      );
    return new CommandFailure(`${this.url} refused this with ${status}${why}`, { status });
  }

  /** Whether the server has the index of a control surface. */
  async #hasOperations(signal?: AbortSignal): Promise<boolean> {
    const index = await this.#fetch('/control', { signal: signal ?? null });
    const { operations }: { readonly operations?: unknown } = Object(parsed(await this.#textOf(index)));
    return Array.isArray(operations);
  }

  /** Makes a request. A redirect would send the key to another host, or drop it. */
  #fetch(path: string, init: RequestInit): Promise<Response> {
    return this.#received(fetch(this.url + path, { ...init, redirect: 'manual' }));
  }

  async #textOf(response: Response): Promise<string> {
    const { body, truncated } = await this.#received(readBody(response, longestBody));
    if (!truncated) return body;
    throw new CommandFailure(
      `${this.url} sends more than ${longestBody / 2 ** 20} MiB. It is no reference server.`,
    );
  }

  /** What the server sends. The error of a lost connection says what to do. */
  #received<Value>(coming: Promise<Value>): Promise<Value> {
    return coming.catch((error: unknown): never => {
      const { sentences, code } = explainConnection(error, this.#way);
      const why =
        sentences || `The reason: ${reasonOf(error)}. Look at the server, or pass another URL with --url.`;
      throw new CommandFailure(this.shown(`No connection to ${this.url}. ${why}`), { mayPass: true, code });
    });
  }

  /** The error for a server without a control surface. */
  #missing(): CommandFailure {
    return new CommandFailure(
      `${this.url} has no control surface. This command needs a reference server: start one with \`messaging-automation serve\`. ${aboutDetour(this.#way)}`.trimEnd(),
    );
  }
}
