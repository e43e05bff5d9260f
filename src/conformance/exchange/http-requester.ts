import { filledPath } from '../../contract/filled-path.js';
import { parseRetryAfter } from '../../foundation/clock.js';
import { headersOf } from '../../foundation/fetch-function.js';
import { readBody } from '../../foundation/read-body.js';
import type { Settings } from '../options.js';
import { jsonFrom } from './body.js';
import { type DeploymentResponse, type ExchangeOutcome, needing } from './outcome.js';
import { within } from './within.js';

/** An endpoint of the contract's table. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
}

/** The parts of a request other than its endpoint. */
export interface RequestDetails {
  /** Replaces `:id` in the path. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: object | string;
  /** The key to send. `null` sends no key. Default: the key of the workspace. */
  readonly apiKey?: string | null | undefined;
}

/** The requester stops after this many requests in a row that got no response, or only 429. */
const failuresInARow = 3;

/** How often a request with the response 429 is retried. */
const maximumRetries = 5;

/** The longest wait before one retry, in milliseconds. */
const longestWait = 60_000;

/** The longest sum of all waits of a run, and again of the removal, in milliseconds. */
const longestTotalWait = 900_000;

/** The largest part of a body that is read, in bytes. */
const bodyLimit = 1024 * 1024;

/** What was observed in all responses. */
interface Observed {
  requests: number;
  readonly headerNames: Set<string>;
  /** How many responses were 429, and how long the requester waited because of them, in milliseconds. */
  readonly rateLimited: { responses: number; waited: number };
}

/** Makes requests to the deployment. */
export interface HttpRequester {
  /** What was observed in all responses. */
  readonly observed: Observed;
  /** Stops making requests. `needs` says what all of them need. */
  readonly stop: (needs: string) => void;
  /** Allows requests again, even after the caller's signal, because the run must remove what it created. */
  beginRemoval(): void;
  request(endpoint: Endpoint, parts?: RequestDetails): Promise<ExchangeOutcome>;
}

/**
 * Makes requests to the deployment, one after the other, with plain `fetch`. It follows no redirect. It retries a request only
 * after a 429, and waits first. Every response and every failure becomes an outcome. Only the caller's signal makes it throw.
 */
export function httpRequester({ clock, timeout, fetch, baseUrl, ...settings }: Settings): HttpRequester {
  const observed: Observed = {
    requests: 0,
    headerNames: new Set(),
    rateLimited: { responses: 0, waited: 0 },
  };
  /** Ends requests and waits. `undefined` during the removal. */
  let { signal } = settings;
  let mostWaited = longestTotalWait;
  /** The number of requests in a row that got no response, or only 429. */
  let failures = 0;
  let stopped: string | undefined;
  const stop = (needs: string) => {
    stopped = needs;
  };
  const failed = (needs: string, outcome: ExchangeOutcome) => {
    failures += 1;
    if (failures === failuresInARow) stop(needs);
    return outcome;
  };
  /** The wait before a retry after a 429, in milliseconds. `undefined` if there is no further retry. */
  const waitAfter = ({ headers }: DeploymentResponse, repeated: number) => {
    if (repeated === maximumRetries) return undefined;
    const asked = parseRetryAfter(headers.get('retry-after'), clock.now());
    const wait = asked === undefined ? 1_000 * 2 ** repeated : Math.max(asked, 100 * 2 ** repeated);
    const isTooLong = wait > longestWait || observed.rateLimited.waited + wait > mostWaited;
    return isTooLong ? undefined : wait;
  };
  const send = async ({ method, path }: Endpoint, parts: RequestDetails, ending: AbortSignal) => {
    const { apiKey = settings.apiKey, id = '', query, body } = parts;
    const url = `${baseUrl}${filledPath(path, { id })}`;
    const response = await fetch(query ? `${url}?${new URLSearchParams(query)}` : url, {
      method,
      headers: {
        ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
      signal: ending,
    });
    const { status } = response;
    const headers = new Headers(headersOf(response));
    const ok = status >= 200 && status < 300;
    const { body: text, truncated: cut = false } = await readBody(response, bodyLimit, { ignoreBOM: true });
    const json = cut ? undefined : jsonFrom(() => text);
    return { kind: 'response', status, ok, headers, text, json, cut } as const;
  };
  const once = async (endpoint: Endpoint, parts: RequestDetails, repeated: boolean) => {
    observed.requests += 1;
    const response = await within(clock, timeout, signal, (ending) => send(endpoint, parts, ending)).catch(
      (error: unknown) => ({ kind: 'no_response', reason: reasonOf(error) }) as const,
    );
    if (response?.kind !== 'response') {
      signal?.throwIfAborted();
      return response ?? ({ kind: 'no_response', reason: `none within ${timeout / 1000} s` } as const);
    }
    if (response.status === 429) observed.rateLimited.responses += 1;
    for (const name of response.headers.keys()) observed.headerNames.add(name);
    return { ...response, repeated };
  };
  return {
    observed,
    stop,

    beginRemoval(): void {
      signal = undefined;
      stopped = undefined;
      failures = 0;
      mostWaited = observed.rateLimited.waited + longestTotalWait;
    },

    async request(endpoint: Endpoint, parts: RequestDetails = {}): Promise<ExchangeOutcome> {
      for (let repeated = 0; ; repeated += 1) {
        signal?.throwIfAborted();
        if (stopped !== undefined) return needing(stopped);
        const outcome = await once(endpoint, parts, repeated > 0);
        if (outcome.kind === 'no_response') return failed('a deployment that responds', outcome);
        if (outcome.status !== 429) {
          failures = 0;
          return outcome;
        }
        const wait = waitAfter(outcome, repeated);
        if (wait === undefined) {
          const times = repeated === 0 ? 'once' : `${repeated + 1} times`;
          // The deployment did not process the request, so it shows nothing.
          return failed(otherThan429, needing(`${otherThan429}; it returned 429 ${times}`));
        }
        observed.rateLimited.waited += wait;
        await within(clock, wait, signal, () => new Promise(() => {}));
      }
    },
  };
}

const otherThan429 = 'a deployment that responds with something else than 429';

/** Why no response arrived. Only the system's error code, because a message may contain private data. */
function reasonOf(error: unknown): string {
  const code = [error, Reflect.get(Object(error), 'cause')]
    .map((each): unknown => Reflect.get(Object(each), 'code'))
    .find((each) => typeof each === 'string' && /^[A-Z_]{1,40}$/.test(each));
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`;
}
