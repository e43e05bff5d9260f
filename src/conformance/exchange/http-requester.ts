import type { Clock } from '../../foundation/clock.js';
import { propertyOf } from './json.js';
import { type Answer, type NoAnswer, notAsked, type Outcome } from './outcome.js';

/** An endpoint, as the contract's table has it. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
}

/** What goes into a request besides its endpoint. */
export interface RequestParts {
  /** For the `:id` in the path. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent as it stands. */
  readonly body?: object | string;
  /** The key to show instead of the workspace's; `null` for none at all. */
  readonly apiKey?: string | null;
}

/** What an requester works with. */
export interface HttpRequesterSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How long a request may take, headers and body, in milliseconds. */
  readonly timeout: number;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** How much of a body is read, in bytes. */
const bodyLimit = 1024 * 1024;

/** More requests than any run makes; what bounds a mistake. */
const requestLimit = 300;

/** After so many requests in a row without an answer, the deployment is asked no more. */
const patience = 3;

/** How long a `Retry-After` may be that is waited for, in seconds. */
const longestRetryAfter = 30;

/**
 * Asks the deployment, one request after the other, with bare `fetch`: no retries, no redirects, nothing made up for.
 * It gives an outcome whatever happens, and throws only when the caller's signal ends the run.
 */
export class HttpRequester {
  /** What was seen of all answers, those to requests that were made again included. */
  readonly observed = { statuses: new Set<number>(), headerNames: new Set<string>() };
  readonly #settings: HttpRequesterSettings;
  #requests = 0;
  #unanswered = 0;
  #stopped: string | undefined;
  #leaving = false;

  constructor(settings: HttpRequesterSettings) {
    this.#settings = settings;
  }

  /** How many requests were made. */
  get requests(): number {
    return this.#requests;
  }

  /** Asks nothing more, for this reason. */
  stop(why: string): void {
    this.#stopped = why;
  }

  /** From here on everything is asked again, whatever the caller's signal says: what was made must be removed. */
  leave(): void {
    this.#leaving = true;
    this.#stopped = undefined;
    this.#unanswered = 0;
  }

  async request(endpoint: Endpoint, parts: RequestParts = {}): Promise<Outcome> {
    const { signal, clock } = this.#settings;
    if (!this.#leaving) signal?.throwIfAborted();
    if (this.#stopped !== undefined) return notAsked(this.#stopped);
    if (this.#unanswered === patience) return notAsked('a deployment that answers');
    if (!this.#leaving && this.#requests >= requestLimit)
      return notAsked(`no more than ${requestLimit} requests`);
    const outcome = await this.#exchange(endpoint, parts);
    const wait = retryAfter(outcome);
    if (wait === undefined) return outcome;
    // Turned away unread, so asking once more repeats nothing.
    await this.#waitFor(wait, clock);
    return this.#exchange(endpoint, parts);
  }

  async #exchange(endpoint: Endpoint, parts: RequestParts): Promise<Outcome> {
    const { signal, clock, timeout } = this.#settings;
    const controller = new AbortController();
    const follow = () => controller.abort(signal?.reason);
    const watched = this.#leaving ? undefined : signal;
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
      this.observed.statuses.add(answer.status);
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
    };
  }

  #urlOf({ path }: Endpoint, { id = '', query }: RequestParts): string {
    const filled = path.replace(':id', encodeURIComponent(id));
    const pairs = Object.entries(query ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return `${this.#settings.baseUrl}${filled}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
  }

  async #waitFor(seconds: number, clock: Clock): Promise<void> {
    const { signal } = this.#settings;
    await new Promise<void>((resolve) => {
      const cancel = clock.setTimer(done, seconds * 1000);
      function done() {
        cancel();
        signal?.removeEventListener('abort', done);
        resolve();
      }
      if (!signal?.aborted) signal?.addEventListener('abort', done);
    });
  }
}

/** The wait that a 429 asks for, in seconds, where it is one that is kept to. */
function retryAfter(outcome: Outcome): number | undefined {
  if (outcome.kind !== 'answer' || outcome.status !== 429) return undefined;
  const header = outcome.headers.get('retry-after') ?? '';
  return /^\d+$/.test(header) && Number(header) <= longestRetryAfter ? Number(header) : undefined;
}

/** The promise, or the end that the signal puts to it: not every `fetch` heeds one. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

async function readBody({ body }: Response): Promise<{ readonly text: string; readonly cut: boolean }> {
  if (body === null) return { text: '', cut: false };
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), cut: false };
    length += value.length;
    if (length > bodyLimit) {
      reader.cancel().catch(() => {});
      return { text, cut: true };
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why there was no answer: the system's own code, for a message might hold anything. */
function whyNoAnswer(error: unknown): NoAnswer['why'] {
  const code = codeOf(error) ?? codeOf(propertyOf(error, 'cause'));
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`;
}

function codeOf(error: unknown): string | undefined {
  const code = propertyOf(error, 'code');
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : undefined;
}
