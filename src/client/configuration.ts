import { createRedactor } from '../contract/redaction.js';
import type { SendInput } from '../contract/transactional.js';
import { type Clock, systemClock } from '../foundation/clock.js';
import type { FetchFunction } from '../foundation/fetch-function.js';
import {
  aClock,
  aFunction,
  anObject,
  aString,
  aWholeNumber,
  ConfigurationError,
  checkOptions,
  hasMethods,
  milliseconds,
  type OptionChecks,
  oneOf,
  refuseBoth,
  trueOrFalse,
} from '../foundation/options.js';
import { createWarnings, probe } from '../foundation/runtime.js';
import { aKeyValueService, type KeyValueService } from '../key-value/key-value-service.js';
import { forEver } from '../key-value/records.js';
import type { Workspace, WorkspaceRules } from './definition/workspace-definition.js';
import type { Middleware } from './observability/middleware-chain.js';
import type { Logger } from './observability/watching.js';
import { type ApiKeySource, apiKeySource } from './request/api-key.js';
import { type AppInfo, appInfoChecks, baseHeaders } from './request/headers.js';
import type { Limiter } from './request/limiter.js';
import { isCleartext, type RequestSettings, webAddress } from './request/request.js';
import { aTimeout, someHeaders } from './request/request-options.js';
import { createDriftWarner, type Drift } from './response/reading.js';
import { defaultTransport } from './transport/default-transport.js';
import { defaultMaxResponseBytes, type Transport } from './transport/transport.js';

/**
 * The waits between attempts. The first wait is `initial`, each later one is twice as long, up to `max`. Random jitter
 * shortens each wait by up to half, so that clients do not retry at the same moment.
 *
 * If the service sends `Retry-After`, the wait is at least that long. It is also never shorter than the backoff would
 * be. The jitter then adds up to half of the backoff.
 */
export type Backoff = {
  /** The first wait in milliseconds. Default: 500. */
  readonly initial: number;
  /** The longest wait in milliseconds. Default: 8,000. */
  readonly max: number;
};

/**
 * May hold a message back before it is sent, for the client's option `guards`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type SendGuard } from 'messaging-automation';
 *
 * const noOffersAtNight: SendGuard = {
 *   check({ templateId }) {
 *     const isNight = new Date().getUTCHours() >= 21;
 *     return isNight && templateId.startsWith('offer_') ? 'no offers at night' : undefined;
 *   },
 * };
 * const messaging = new MessagingAutomation({ guards: [noOffersAtNight] });
 * ```
 */
export interface SendGuard {
  /**
   * Returns the reason to hold the message back; `undefined` to let it out. The call waits for it until its deadline. If it throws,
   * returns anything else, or does not return in time, nothing is sent.
   *
   * @param message What the request will contain: the names of a `workspace` are translated.
   */
  check(message: Pick<SendInput, 'phone' | 'templateId'>): string | undefined | Promise<string | undefined>;
}

/**
 * Options of the {@link MessagingAutomation} client. Each is optional if the environment has the API key and the base URL, at the latest at
 * the first call. A client that is created without them warns, and its calls fail with {@link NotConfiguredError}.
 *
 * @example
 * ```ts
 * import { type ClientOptions, MessagingAutomation } from 'messaging-automation';
 *
 * const options: ClientOptions = { timeout: 10_000, retries: 1, validation: 'strict' };
 * const messaging = new MessagingAutomation(options);
 * console.log(await messaging.templates.list());
 * ```
 */
export interface ClientOptions<W extends Workspace = Workspace> {
  /**
   * The workspace's API key, or a function that returns it. The client calls the function before each request, and makes one more request
   * after a 401, so keys may rotate. The function's time counts against the call's deadline. Default: the
   * environment variable `MESSAGING_AUTOMATION_API_KEY`. An empty string counts as left out.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * The address of the service, up to and including `/api`: `https://messaging.example.com/api`. Default: the
   * environment variable `MESSAGING_AUTOMATION_BASE_URL`. An empty string counts as left out.
   */
  readonly baseUrl?: string | undefined;
  /**
   * Allows `http://` in `baseUrl`, and in the `url` of a webhook subscription, for another machine. The API key and the
   * deliveries then cross the network in clear text. `http://` to this machine (`localhost`, 127.0.0.0/8, `[::1]`) is
   * always allowed. Default: false.
   */
  readonly allowInsecureHttp?: boolean | undefined;
  /**
   * The deadline of a whole call, in milliseconds. It covers the `guards`, connecting, response headers and body, every
   * attempt, and the waits between attempts. Default: 30,000 (30 seconds).
   */
  readonly timeout?: number | undefined;
  /**
   * How many times the client retries a failed request. It retries only where a second request cannot repeat an effect.
   * 0 means one request. Default: 2.
   */
  readonly retries?: number | undefined;
  /** The waits between attempts. Default: 500 milliseconds, doubling up to 8 seconds. */
  readonly backoff?: Partial<Backoff> | undefined;
  /**
   * The longest `Retry-After` that the client waits for, in milliseconds. If the service asks for more, the call fails
   * at once. Default: 60,000 (60 seconds).
   */
  readonly maxRetryAfter?: number | undefined;
  /**
   * The maximum size of a response body in bytes, after decompression. The client stops reading there. Default:
   * 10,485,760 (10 MiB).
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Headers of every request. They cannot replace headers that the client sets, such as `authorization`. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Your application, for the `User-Agent` header. A `user-agent` in `headers` replaces that header. Default: none.
   */
  readonly appInfo?: AppInfo | undefined;
  /**
   * Limits concurrency and request rate across calls. Create it with `createLimiter`, and share it between clients that
   * use the same key. Default: none; each call then waits for its own `Retry-After` only.
   */
  readonly limiter?: Limiter | undefined;
  /** The function that sends the HTTP requests. Default: the global `fetch`, looked up at each call. */
  readonly fetch?: FetchFunction | undefined;
  /**
   * Sends the requests instead of `fetch`: a transport of `messaging-automation/undici`, or your own. Cannot be
   * combined with `fetch`. Default: none.
   */
  readonly transport?: Transport | undefined;
  /** The source of time, for tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Returns a number from 0 up to, but not including, 1, which spreads the waits. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /**
   * What the client does with a response of an unexpected shape: `warn` calls `onDrift` and resolves, `strict` rejects
   * with `UnusableResponseError`, `off` resolves silently. With `warn` and `off`, a field of such a response may be
   * missing or have another type than declared. Default: `warn`.
   */
  readonly validation?: 'warn' | 'strict' | 'off' | undefined;
  /**
   * Called with each response of an unexpected shape. The client ignores what it throws or rejects with, so that an
   * accepted send does not look failed. Default: a process warning, once per operation.
   */
  readonly onDrift?: ((drift: Drift) => unknown) | undefined;
  /**
   * A description of your workspace, made by `defineWorkspace`. The client then types names and values, and checks them
   * before it sends them. Default: none; every name is accepted.
   */
  readonly workspace?: W | undefined;
  /** Functions that wrap each attempt of each call, outermost first. Default: none. */
  readonly middleware?: readonly Middleware[] | undefined;
  /**
   * Where sends and events with an `idempotencyKey` are recorded, so that each is made once: `createRedisKeyValueStore`,
   * `createPostgresKeyValueStore`, `createMemoryKeyValueStore`, or any key-value service with compare-and-set. All
   * processes that send the same messages share one. Workspaces do not: give each its own prefix or table. Default: none.
   */
  readonly idempotencyStore?: KeyValueService | undefined;
  /**
   * How long a sent message or event is known by its `idempotencyKey`, in milliseconds, rounded up; at most a century. A key with an
   * unknown outcome is kept until it is settled. Default: 2,592,000,000 (30 days).
   */
  readonly idempotencyRetention?: number | undefined;
  /**
   * Each may hold a `transactional.send` back before its request: `createOptOutList`, `onlyTo`, or your own. The client calls them in this
   * order, right before each request, retries included. No other call runs them, not even `request`. The client warns if the option is
   * `undefined`. Default: none.
   */
  readonly guards?: readonly SendGuard[] | undefined;
  /** Receives log lines about calls: `console`, a pino logger, or a similar object. Default: none. */
  readonly logger?: Logger | undefined;
}

/** The options of a client, checked and with all defaults. */
export interface CallSettings extends RequestSettings {
  readonly apiKey: ApiKeySource;
  readonly limiter: Limiter | undefined;
  readonly timeout: number;
  readonly retries: number;
  readonly backoff: Backoff;
  readonly maxRetryAfter: number;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly validation: 'warn' | 'strict' | 'off';
  readonly onDrift: (drift: Drift) => unknown;
  readonly middleware: readonly Middleware[];
  readonly logger: Logger | undefined;
  readonly idempotencyStore: KeyValueService | undefined;
  /** In whole milliseconds. */
  readonly idempotencyRetention: number;
  /** What neither the options nor the environment had, and how to give it. Every call fails with it. */
  readonly missing: string | undefined;
  readonly guards: readonly SendGuard[];
  readonly workspace: WorkspaceRules | undefined;
}

/** @throws {ConfigurationError} when an option is invalid. */
export function configure(options: ClientOptions): CallSettings {
  checkOptions('MessagingAutomation', options, checks);
  refuseBoth('MessagingAutomation', options, 'fetch', 'transport', 'a transport does not use fetch');
  const givenKey = options.apiKey || fromEnvironment('API_KEY');
  const apiKey = apiKeySource(givenKey ?? noKey, checkedApiKey);
  const allowInsecureHttp = options.allowInsecureHttp ?? false;
  const baseUrl = options.baseUrl || fromEnvironment('BASE_URL');
  const missing = [...(givenKey ? [] : [missingApiKey]), ...(baseUrl ? [] : [missingBaseUrl])];
  return {
    missing: missing.length > 0 ? missing.join(' ') : undefined,
    baseUrl: baseUrl ? checkedBaseUrl(baseUrl, allowInsecureHttp) : '',
    allowInsecureHttp,
    headers: baseHeaders(options.headers, options.appInfo),
    limiter: options.limiter,
    apiKey,
    timeout: options.timeout ?? 30_000,
    retries: options.retries ?? 2,
    backoff: { initial: options.backoff?.initial ?? 500, max: options.backoff?.max ?? 8_000 },
    maxRetryAfter: options.maxRetryAfter ?? 60_000,
    maxResponseBytes: options.maxResponseBytes ?? defaultMaxResponseBytes,
    transport: options.transport ?? defaultTransport(options.fetch),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    validation: options.validation ?? 'warn',
    onDrift: options.onDrift ?? createDriftWarner(),
    middleware: [...(options.middleware ?? [])],
    logger: options.logger,
    idempotencyStore: options.idempotencyStore,
    idempotencyRetention: Math.ceil(options.idempotencyRetention ?? defaultIdempotencyRetention),
    guards: [...(options.guards ?? [])],
    redact: createRedactor(apiKey.known),
    workspace: options.workspace?.rules,
  };
}

/** 30 days, in milliseconds. */
export const defaultIdempotencyRetention = 30 * 24 * 60 * 60 * 1_000;

const levels = ['debug', 'info', 'warn', 'error'];

const checks: OptionChecks = {
  apiKey: [
    (value) => typeof value === 'string' || typeof value === 'function',
    'a string, or a function that returns one',
  ],
  baseUrl: aString,
  headers: someHeaders,
  ...appInfoChecks,
  allowInsecureHttp: trueOrFalse,
  timeout: aTimeout,
  retries: aWholeNumber(0),
  backoff: anObject,
  'backoff.initial': milliseconds(0),
  'backoff.max': milliseconds(0),
  maxRetryAfter: milliseconds(0),
  maxResponseBytes: aWholeNumber(1),
  fetch: aFunction,
  transport: [
    hasMethods('exchange'),
    'what undiciTransport() returns, or another object with a method exchange',
  ],
  limiter: [hasMethods('acquire'), 'what createLimiter returns'],
  clock: aClock,
  random: aFunction,
  validation: oneOf('warn', 'strict', 'off'),
  onDrift: aFunction,
  idempotencyStore: aKeyValueService,
  idempotencyRetention: [
    (value) => typeof value === 'number' && value > 0 && value <= forEver,
    'a number of milliseconds, above 0 and at most those of a century',
  ],
  guards: [
    (value) => Array.isArray(value) && value.every(hasMethods('check')),
    'an array of objects with a method check',
    'protects',
  ],
  middleware: [(value) => Array.isArray(value) && value.every(aFunction[0]), 'an array of functions'],
  logger: [
    (value) => levels.some((level) => hasMethods(level)(value)),
    `an object with at least one of the methods ${levels.join(', ')}`,
  ],
  workspace: [
    (value) => hasMethods('prepare')(Reflect.get(Object(value), 'rules')),
    'what defineWorkspace returns',
  ],
};

/** The settings once the environment may have more; those from before, with what is missing or invalid, as long as it has not. */
export function configureAgain(options: ClientOptions, before: CallSettings): CallSettings {
  try {
    return configure(options);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ...before, missing: error.message };
  }
}

/** A warning and no error, because frameworks load modules that create a client when they build, without its environment. */
export function warnOfMissing({ missing }: CallSettings): void {
  if (missing === undefined) return;
  const until =
    'Until the client has it, its calls fail with NotConfiguredError. Each call reads the environment again.';
  createWarnings('MessagingAutomationConfiguration')('missing', `${missing} ${until}`);
}

/** No call asks a client without a key for it. */
const noKey = () => '';

function checkedApiKey(apiKey: unknown): string {
  if (apiKey === undefined || apiKey === '') throw new ConfigurationError('it returned no key');
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigurationError(
      'apiKey must be a string of visible ASCII characters, or a function that returns one. Remove any space or ' +
        'line break around it.',
    );
  }
  return apiKey;
}

const example = 'as in https://messaging.example.com/api';

function checkedBaseUrl(baseUrl: string, allowInsecureHttp: boolean): string {
  const url = webAddress(baseUrl);
  const path = url?.pathname.replace(/\/+$/, '') ?? '';
  const problem = url ? problemWithBaseUrl(url, path, allowInsecureHttp) : `begin with https://, ${example}`;
  if (!url || problem) throw new ConfigurationError(`baseUrl must ${problem}.`);
  // Only a warning: a gateway may serve the API under another path.
  if (!path.endsWith('/api'))
    warnOnce(path, `baseUrl does not end in /api, where the service responds. Should it, ${example}?`);
  return url.origin + path;
}

function problemWithBaseUrl(url: URL, path: string, allowInsecureHttp: boolean): string | undefined {
  if (url.username || url.password) return 'hold no user name and no password; the API key goes into apiKey';
  if (url.search || url.hash) return 'end with its path: leave out everything from ? or # on';
  if (path.endsWith('/v1'))
    return `not end in /v1, which the client adds itself: end it before that, ${example}`;
  if (isCleartext(url) && !allowInsecureHttp)
    return 'begin with https://: over http:// the API key crosses the network in clear text. For a network that you trust, set allowInsecureHttp';
  return undefined;
}

const warnOnce = createWarnings('MessagingAutomationConfiguration');

const missingApiKey =
  'There is no API key: pass apiKey, or set the environment variable MESSAGING_AUTOMATION_API_KEY.';
const missingBaseUrl =
  'There is no base URL: pass baseUrl, or set the environment variable MESSAGING_AUTOMATION_BASE_URL. ' +
  `It ends in /api, ${example}.`;

/** The value of the variable `MESSAGING_AUTOMATION_…`; `undefined` where it is empty, or the runtime has no environment. */
function fromEnvironment(name: string): string | undefined {
  const value = probe('process', 'env', `MESSAGING_AUTOMATION_${name}`);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
