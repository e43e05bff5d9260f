import type { Clock } from '../../foundation/clock.js';
import { parseRetryAfter } from '../../foundation/retry-after.js';
import { propertyOf } from './json.js';
import { type Answer, type NoAnswer, notAsked, type Outcome } from './outcome.js';
import { readBody } from './read-body.js';

/** An endpoint, as the contract's table has it. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
}

/** What a request holds besides its endpoint. */
export interface RequestParts {
  /** For the `:id` in the path. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** An object goes out as JSON, a string as it is. */
  readonly body?: object | string;
  /** The key to send instead of the workspace's; `null` for no key. */
  readonly apiKey?: string | null;
}

export interface HttpRequesterSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How long a request may take, headers and body, in milliseconds. */
  readonly timeout: number;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** More requests than any run makes, repetitions after a 429 included. */
const requestLimit = 500;

/** More requests than the removal of what a run made takes. */
const removalLimit = 200;

/** After so many requests in a row without an answer, or with nothing but 429, no more are made. */
const patience = 3;

/** How often a request that is answered with 429 is repeated. */
const repetitions = 5;

/** The longest wait that a 429 can ask for, in milliseconds. */
const longestWait = 60_000;

/** How long a run waits because of 429 in all, and again for the removal, in milliseconds. */
const longestWaits = 900_000;

/** What the answers to all requests had in common. */
export interface ObservedAnswers {
  readonly headerNames: Set<string>;
  /** How many answers were 429. */
  rateLimited: number;
  /** How long the run waited because of them, in milliseconds. */
  waited: number;
}

/**
 * Makes requests to the deployment, one after the other, with bare `fetch`. It follows no redirect and repeats a request only
 * after a 429, which it waits for. Whatever the deployment does becomes an outcome; only the caller's signal makes it throw.
 */
export class HttpRequester {
  readonly observed: ObservedAnswers = {
    headerNames: new Set(),
    rateLimited: 0,
    waited: 0,
  };
  readonly #settings: HttpRequesterSettings;
  #requests = 0;
  #limit = requestLimit;
  #longestWaits = longestWaits;
  #unanswered = 0;
  #turnedAway = 0;
  #stopped: string | undefined;
  #removing = false;

  constructor(settings: HttpRequesterSettings) {
    this.#settings = settings;
  }

  /** How many requests were made. */
  get requests(): number {
    return this.#requests;
  }

  /** Makes no more requests: they all need this. */
  stop(needs: string): void {
    this.#stopped = needs;
  }

  /** Makes requests again, whatever stopped them: what the run made has to be removed, even after the caller's signal. */
  beginRemoval(): void {
    this.#removing = true;
    this.#stopped = undefined;
    this.#unanswered = 0;
    this.#turnedAway = 0;
    this.#limit = this.#requests + removalLimit;
    this.#longestWaits = this.observed.waited + longestWaits;
  }

  async request(endpoint: Endpoint, parts: RequestParts = {}): Promise<Outcome> {
    let outcome = await this.#once(endpoint, parts);
    for (let repeated = 0; isRateLimited(outcome); repeated += 1) {
      const wait = this.#waitAfter(outcome, repeated);
      if (wait === undefined) return this.#turnAway(repeated + 1);
      await this.#waitFor(wait);
      outcome = await this.#once(endpoint, parts);
      if (outcome.kind === 'answer') outcome = { ...outcome, repeated: true };
    }
    this.#turnedAway = outcome.kind === 'not_asked' ? this.#turnedAway : 0;
    return outcome;
  }

  /** One request, unless there is a reason to make no more. */
  async #once(endpoint: Endpoint, parts: RequestParts): Promise<Outcome> {
    if (!this.#removing) this.#settings.signal?.throwIfAborted();
    if (this.#stopped !== undefined) return notAsked(this.#stopped);
    if (this.#unanswered === patience) return notAsked('a deployment that answers');
    if (this.#turnedAway === patience) return notAsked(answersOtherThan429);
    if (this.#requests >= this.#limit) return notAsked(`no more than ${requestLimit} requests`);
    return this.#exchange(endpoint, parts);
  }

  /** How long to wait before a request that was answered with 429 is repeated; `undefined` where it is not. */
  #waitAfter({ headers }: Answer, repeated: number): number | undefined {
    const { clock } = this.#settings;
    if (repeated === repetitions) return undefined;
    const asked = parseRetryAfter(headers.get('retry-after'), clock.now());
    const wait = asked === undefined ? 1_000 * 2 ** repeated : Math.max(asked, 100 * 2 ** repeated);
    const isTooLong = wait > longestWait || this.observed.waited + wait > this.#longestWaits;
    return isTooLong ? undefined : wait;
  }

  /** A request that only ever got a 429 was not carried out, so it shows nothing. */
  #turnAway(times: number): Outcome {
    this.#turnedAway += 1;
    return notAsked(`${answersOtherThan429}; it answered 429 ${times === 1 ? 'once' : `${times} times`}`);
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
      const answer = await orAborted(this.#send(endpoint, parts, controller.signal), controller.signal);
      this.#unanswered = 0;
      if (isRateLimited(answer)) this.observed.rateLimited += 1;
      for (const name of answer.headers.keys()) this.observed.headerNames.add(name);
      return answer;
    } catch (error) {
      watched?.throwIfAborted();
      this.#unanswered += 1;
      return { kind: 'no_answer', why: timedOut ? `none within ${timeout / 1000} s` : whyNoAnswer(error) };
    } finally {
      cancelTimer();
      watched?.removeEventListener('abort', follow);
    }
  }

  async #send(endpoint: Endpoint, parts: RequestParts, signal: AbortSignal): Promise<Answer> {
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
    const { text, cut } = await readBody(response);
    return {
      kind: 'answer',
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

const answersOtherThan429 = 'a deployment that answers with something else than 429';

interface RateLimited extends Answer {
  readonly status: 429;
}

const isRateLimited = (outcome: Outcome): outcome is RateLimited =>
  outcome.kind === 'answer' && outcome.status === 429;

/** The promise, or a rejection when the signal aborts: not every `fetch` heeds a signal. */
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

/** Why there was no answer, by the system's own code: a message might hold anything. */
function whyNoAnswer(error: unknown): NoAnswer['why'] {
  const code = codeOf(error) ?? codeOf(propertyOf(error, 'cause'));
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`;
}

function codeOf(error: unknown): string | undefined {
  const code = propertyOf(error, 'code');
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : undefined;
}
