import type { Clock } from '../../foundation/clock.js';
import { readBody } from '../../foundation/read-body.js';
import { parseRetryAfter } from '../../foundation/retry-after.js';
import { propertyOf } from './json.js';
import { type NoResponse, notRequested, type Outcome, type ReceivedResponse } from './outcome.js';

/** An endpoint of the contract's table. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
}

/** The parts of a request other than its endpoint. */
export interface RequestParts {
  /** Replaces `:id` in the path. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: object | string;
  /** The key to send. `null` sends no key. Default: the key of the workspace. */
  readonly apiKey?: string | null;
}

export interface HttpRequesterSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The timeout of a request, from start to the end of the body, in milliseconds. */
  readonly timeout: number;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** More requests than any run makes, including retries after a 429. */
const requestLimit = 500;

/** More requests than a run needs to remove what it created. */
const removalLimit = 200;

/** The run stops after this many requests in a row that got no response, or only 429. */
const failuresInARow = 3;

/** How often a request with the response 429 is retried. */
const maximumRetries = 5;

/** The longest wait before one retry, in milliseconds. */
const longestWait = 60_000;

/** The longest sum of all waits of a run, and again of the removal, in milliseconds. */
const longestTotalWait = 900_000;

/** What was observed in all responses. */
export interface ObservedResponses {
  readonly headerNames: Set<string>;
  /** How many responses were 429. */
  rateLimited: number;
  /** How long the run waited because of them, in milliseconds. */
  waited: number;
}

/**
 * Makes requests to the deployment, one after the other, with plain `fetch`. It follows no redirect. It retries a request only
 * after a 429, and waits first. Every response and every failure becomes an outcome. Only the caller's signal makes it throw.
 */
export class HttpRequester {
  readonly observed: ObservedResponses = {
    headerNames: new Set(),
    rateLimited: 0,
    waited: 0,
  };
  readonly #settings: HttpRequesterSettings;
  #requests = 0;
  #limit = requestLimit;
  #longestTotalWait = longestTotalWait;
  /** The number of requests in a row without a response. */
  #failed = 0;
  /** The number of requests in a row whose only response was 429. */
  #rateLimited = 0;
  #stopped: string | undefined;
  #removing = false;

  constructor(settings: HttpRequesterSettings) {
    this.#settings = settings;
  }

  /** How many requests were made. */
  get requests(): number {
    return this.#requests;
  }

  /** Stops making requests. `needs` says what all of them need. */
  stop(needs: string): void {
    this.#stopped = needs;
  }

  /** Allows requests again, even after the caller's signal, because the run must remove what it created. */
  beginRemoval(): void {
    this.#removing = true;
    this.#stopped = undefined;
    this.#failed = 0;
    this.#rateLimited = 0;
    this.#limit = this.#requests + removalLimit;
    this.#longestTotalWait = this.observed.waited + longestTotalWait;
  }

  async request(endpoint: Endpoint, parts: RequestParts = {}): Promise<Outcome> {
    let outcome = await this.#once(endpoint, parts);
    for (let repeated = 0; isRateLimited(outcome); repeated += 1) {
      const wait = this.#waitAfter(outcome, repeated);
      if (wait === undefined) return this.#giveUp(repeated + 1);
      await this.#waitFor(wait);
      outcome = await this.#once(endpoint, parts);
      if (outcome.kind === 'response') outcome = { ...outcome, repeated: true };
    }
    this.#rateLimited = outcome.kind === 'not_requested' ? this.#rateLimited : 0;
    return outcome;
  }

  /** Makes one request without a retry, or returns the reason why no more requests are made. */
  async #once(endpoint: Endpoint, parts: RequestParts): Promise<Outcome> {
    if (!this.#removing) this.#settings.signal?.throwIfAborted();
    if (this.#stopped !== undefined) return notRequested(this.#stopped);
    if (this.#failed === failuresInARow) return notRequested('a deployment that answers');
    if (this.#rateLimited === failuresInARow) return notRequested(otherThan429);
    if (this.#requests >= this.#limit) return notRequested(`at most ${requestLimit} requests`);
    return this.#exchange(endpoint, parts);
  }

  /** The wait before a retry after a 429, in milliseconds. `undefined` if there is no further retry. */
  #waitAfter({ headers }: ReceivedResponse, repeated: number): number | undefined {
    const { clock } = this.#settings;
    if (repeated === maximumRetries) return undefined;
    const asked = parseRetryAfter(headers.get('retry-after'), clock.now());
    const wait = asked === undefined ? 1_000 * 2 ** repeated : Math.max(asked, 100 * 2 ** repeated);
    const isTooLong = wait > longestWait || this.observed.waited + wait > this.#longestTotalWait;
    return isTooLong ? undefined : wait;
  }

  /** The deployment did not process a request that got only 429, so the request shows nothing. */
  #giveUp(times: number): Outcome {
    this.#rateLimited += 1;
    return notRequested(`${otherThan429}; it returned 429 ${times === 1 ? 'once' : `${times} times`}`);
  }

  async #exchange(endpoint: Endpoint, parts: RequestParts): Promise<Outcome> {
    const { signal, clock, timeout } = this.#settings;
    const controller = new AbortController();
    const follow = () => controller.abort(signal?.reason);
    const watched = this.#removing ? undefined : signal;
    let timedOut = false;
    const cancelTimer = clock.setTimer(() => {
      timedOut = true;
      controller.abort();
    }, timeout);
    watched?.addEventListener('abort', follow);
    this.#requests += 1;
    try {
      const response = await orAborted(this.#send(endpoint, parts, controller.signal), controller.signal);
      this.#failed = 0;
      if (isRateLimited(response)) this.observed.rateLimited += 1;
      for (const name of response.headers.keys()) this.observed.headerNames.add(name);
      return response;
    } catch (error) {
      watched?.throwIfAborted();
      this.#failed += 1;
      return { kind: 'no_response', reason: timedOut ? `none within ${timeout / 1000} s` : reasonOf(error) };
    } finally {
      cancelTimer();
      watched?.removeEventListener('abort', follow);
    }
  }

  async #send(endpoint: Endpoint, parts: RequestParts, signal: AbortSignal): Promise<ReceivedResponse> {
    const { apiKey = this.#settings.apiKey, body } = parts;
    const response = await this.#settings.fetch(this.#urlOf(endpoint, parts), {
      method: endpoint.method,
      headers: {
        ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    });
    const { body: text, truncated: cut = false } = await readBody(response, bodyLimit, { ignoreBOM: true });
    return {
      kind: 'response',
      status: response.status,
      ok: response.ok,
      headers: response.headers,
      text,
      json: cut ? undefined : parse(text),
      cut,
      repeated: false,
    };
  }

  #urlOf({ path }: Endpoint, { id = '', query }: RequestParts): string {
    const filled = path.replace(':id', encodeURIComponent(id));
    const pairs = Object.entries(query ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return `${this.#settings.baseUrl}${filled}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
  }

  async #waitFor(milliseconds: number): Promise<void> {
    const { signal, clock } = this.#settings;
    const watched = this.#removing ? undefined : signal;
    this.observed.waited += milliseconds;
    await new Promise<void>((resolve) => {
      let cancelTimer = () => {};
      const end = () => {
        cancelTimer();
        watched?.removeEventListener('abort', end);
        resolve();
      };
      cancelTimer = clock.setTimer(end, milliseconds);
      watched?.addEventListener('abort', end);
      if (watched?.aborted) end();
    });
  }
}

/** The largest part of a body that is read, in bytes. */
const bodyLimit = 1024 * 1024;

const otherThan429 = 'a deployment that answers with something else than 429';

interface RateLimited extends ReceivedResponse {
  readonly status: 429;
}

const isRateLimited = (outcome: Outcome): outcome is RateLimited =>
  outcome.kind === 'response' && outcome.status === 429;

/** Rejects when the signal aborts, because not every `fetch` observes its signal. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why no response arrived. Only the system's error code, because a message may contain private data. */
function reasonOf(error: unknown): NoResponse['reason'] {
  const code = codeOf(error) ?? codeOf(propertyOf(error, 'cause'));
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`;
}

function codeOf(error: unknown): string | undefined {
  const code = propertyOf(error, 'code');
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : undefined;
}
