import { filledPath } from '../../contract/filled-path.js';
import type { Clock } from '../../foundation/clock.js';
import { aboutDetour, explainConnection, type Way } from '../../foundation/connection-causes.js';
import { readBody } from '../../foundation/read-body.js';
import type { CallParts, ControlOperation, QueryParameters } from '../../server/subjects/operation.js';
import { CommandFailure, reasonOf } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import { timeLimit } from '../terminal/time.js';
import { wayTo } from '../terminal/way.js';
import { control } from './operations.js';
import { type Output, parsed, reasonIn } from './responses.js';

/** The fields of a body. The server checks their values, which come from a command line. */
type Fields<Body> = unknown extends Body
  ? unknown
  : Body extends object
    ? { readonly [Field in keyof Body]?: unknown }
    : undefined;

/** A request for an operation. */
export interface ControlCall<Path extends string, Query extends QueryParameters, Body, Result>
  extends CallParts<Path, Query, Fields<Body>> {
  readonly signal?: AbortSignal;
  /** A field that the response must have. */
  readonly expected?: keyof Result & string;
  /** How long a call without a signal may take, in milliseconds. Default: a minute. */
  readonly timeout?: number;
}

/** A request for a stream. */
export interface StreamCall<Path extends string, Query extends QueryParameters>
  extends CallParts<Path, Query, undefined> {
  /** The id of the event after which it is to continue. */
  readonly lastEventId?: string | undefined;
  readonly signal: AbortSignal;
}

/** A request as it is sent. */
interface Sent {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly lastEventId?: string | undefined;
  readonly signal: AbortSignal;
}

/** How long a call may take unless it says otherwise, in milliseconds. */
export const longestCall = 60_000;

/** The longest response that is read, in bytes. A page of a list has 16 MiB and its last item. */
const longestBody = 64 * 2 ** 20;

/** A list in a response. */
interface List<Item> {
  readonly data: readonly Item[];
}

/** One page of a list. */
interface PageOf<Item> extends List<Item> {
  readonly more: boolean;
  readonly cursor: string;
}

/** A client of a server's control surface. */
export class ControlClient {
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
    this.#way = wayTo(url, { env }, start);
  }

  /**
   * Asks for an operation, and returns its JSON response; an empty object if it has no body.
   *
   * @throws CommandFailure if the server does not respond, refuses, or its response lacks the expected field.
   */
  async ask<Path extends string, Query extends QueryParameters, Body, Result>(
    operation: ControlOperation<Path, Query, Body, Result>,
    { expected, timeout = longestCall, signal, ...parts }: ControlCall<Path, Query, Body, Result> = {},
  ): Promise<Result> {
    const limit = signal === undefined ? timeLimit(this.#clock, timeout) : { signal, clear: () => {} };
    try {
      const response = await this.#request(operation, { ...parts, signal: limit.signal });
      const text = await this.#textOf(response);
      const body = response.status === 204 ? {} : parsed(text);
      const result = Object(body);
      if (result === body && (expected === undefined || expected in result)) return result;
      throw this.#missing();
    } finally {
      limit.clear();
    }
  }

  /** Returns the items of a list that has no pages. */
  async list<Path extends string, Query extends QueryParameters, Item>(
    operation: ControlOperation<Path, Query, undefined, List<Item>>,
    parts: CallParts<Path, Query, undefined> = {},
  ): Promise<readonly Item[]> {
    const { data } = await this.ask(operation, { ...parts, expected: 'data' });
    return Array.isArray(data) ? data : [];
  }

  /** Yields the pages of a list. */
  async *pages<Path extends string, Query extends QueryParameters, Page extends PageOf<unknown>>(
    operation: ControlOperation<Path, Query, undefined, Page>,
    filters: CallParts<Path, Query, undefined>['query'] = {},
  ): AsyncGenerator<Page, void, undefined> {
    let cursor: string | undefined;
    for (let more = true; more; ) {
      const page = await this.ask(operation, { query: { ...filters, cursor }, expected: 'data' });
      yield page;
      ({ more, cursor } = page);
    }
  }

  /**
   * Opens a stream of server-sent events.
   *
   * @throws CommandFailure if the server does not respond, refuses, or responds without a stream.
   */
  async stream<Path extends string, Query extends QueryParameters>(
    operation: ControlOperation<Path, Query, undefined, void>,
    call: StreamCall<Path, Query>,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const response = await this.#request(operation, call);
    const type = response.headers.get('Content-Type') ?? '';
    if (response.body !== null && type.startsWith('text/event-stream')) return response.body;
    await response.body?.cancel();
    throw this.#missing();
  }

  /** Makes a request with the key, and returns its response, which is a success. */
  async #request(
    { method, path: template }: { readonly method: string; readonly path: string },
    { path = {}, query = {}, body, lastEventId, signal }: Sent,
  ): Promise<Response> {
    const response = await this.#fetch(filledPath(template, path) + searchOf(query), {
      method,
      headers: {
        Authorization: `Bearer ${this.#apiKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    });
    if (response.ok) return response;
    throw await this.#refusalIn(response, signal);
  }

  /** Why the server refused a request: its reason, if it is a reference server. */
  async #refusalIn(response: Response, signal: AbortSignal): Promise<CommandFailure> {
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
  async #hasOperations(signal: AbortSignal): Promise<boolean> {
    const index = await this.#fetch(control.surface.index.path, { signal });
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
      `${this.url} sends more than ${longestBody / 2 ** 20} MiB. It is not a reference server.`,
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

/** The query of a URL, with its question mark. Empty if no parameter has a value. */
function searchOf(query: NonNullable<Sent['query']>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
