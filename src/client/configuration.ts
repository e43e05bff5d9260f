import type { Clock } from '../foundation/clock.js';
import { systemClock } from '../foundation/clock.js';
import { isObject } from '../foundation/is-object.js';
import { runtimeProcess } from '../foundation/process.js';
import { createDriftWarner, type Drift } from './answer/drift.js';
import type { Backoff } from './call/retry-policy.js';
import type { CallSettings } from './call/settings.js';
import { ConfigurationError } from './errors/usage-errors.js';
import type { Logger } from './observability/logging.js';
import type { Middleware } from './observability/middleware.js';
import { type ApiKeySource, askedKey, fixedKey, redactorFor } from './request/api-key.js';
import { baseHeaders } from './request/headers.js';
import { problemWithRetries, problemWithTimeout } from './request/request-options.js';
import { createKyTransport } from './transport/ky-transport.js';
import type { FetchFunction, Transport } from './transport/transport.js';
import type { Workspace } from './workspace/workspace.js';
import type { WorkspaceRules } from './workspace/workspace-rules.js';

/**
 * How a client is set up.
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
   * The workspace's API key, or a function that gives it: asked before each call, and once more when the service
   * answers 401, as keys that rotate or expire need it. Its time counts against the call's deadline. Default: the
   * environment variable `MESSAGING_AUTOMATION_API_KEY`.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * The service's address up to and including `/api`, as in `https://messaging.example.com/api`. Default: the
   * environment variable `MESSAGING_AUTOMATION_BASE_URL`.
   */
  readonly baseUrl?: string | undefined;
  /**
   * The deadline of a whole call in milliseconds: connecting, headers, body, every attempt and the waits
   * between them. Default: 30,000.
   */
  readonly timeout?: number | undefined;
  /**
   * How many times a failed request may be made again, where that is safe. 0 means one request. Default: 2.
   */
  readonly retries?: number | undefined;
  /** The waits between attempts. */
  readonly backoff?: Partial<Backoff> | undefined;
  /**
   * The longest `Retry-After` that is waited for, in milliseconds; beyond it the call fails at once.
   * Default: 60,000.
   */
  readonly maxRetryAfter?: number | undefined;
  /** Headers for every request. The client's own, such as `authorization`, cannot be replaced. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Makes the HTTP requests. Default: the global `fetch`, looked up at each call. */
  readonly fetch?: FetchFunction | undefined;
  /**
   * Carries the requests, in place of `fetch`: that of `messaging-automation/undici`, or one of your own. Not
   * together with `fetch`.
   */
  readonly transport?: Transport | undefined;
  /** Where time comes from. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** A number from 0 up to, but not including, 1; spreads the waits. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /**
   * What to do when an answer is not of the expected shape: tell `onDrift` and go on (`warn`, the default),
   * fail with `UnusableResponseError` (`strict`), or go on in silence (`off`). With `warn` and `off` a field of
   * such an answer may be missing or of another type than declared.
   */
  readonly validation?: 'warn' | 'strict' | 'off' | undefined;
  /**
   * Told of each answer that is not of the expected shape. What it throws, or rejects with, is ignored: it must
   * not make an accepted send look failed. Default: a process warning, once per operation.
   */
  readonly onDrift?: ((drift: Drift) => unknown) | undefined;
  /**
   * What is known of the workspace, by `defineWorkspace`: its names and values are then typed, and checked before they
   * are sent. Default: nothing, and every name is taken.
   */
  readonly workspace?: W | undefined;
  /** What stands around each attempt of each call, outermost first. Default: none. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Told what the client does: `console`, a pino logger, or the like. Default: nobody. */
  readonly logger?: Logger | undefined;
}

/** @throws {ConfigurationError} where an option is missing or makes no sense. */
export function configure(options: ClientOptions): CallSettings {
  const apiKey = apiKeySource(options.apiKey ?? fromEnvironment('MESSAGING_AUTOMATION_API_KEY'));
  const settings: CallSettings = {
    baseUrl: checkedBaseUrl(options.baseUrl ?? fromEnvironment('MESSAGING_AUTOMATION_BASE_URL')),
    headers: baseHeaders(options.headers),
    apiKey,
    timeout: options.timeout ?? 30_000,
    retries: options.retries ?? 2,
    backoff: { initial: options.backoff?.initial ?? 500, max: options.backoff?.max ?? 8_000 },
    maxRetryAfter: options.maxRetryAfter ?? 60_000,
    transport: checkedTransport(options),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    validation: options.validation ?? 'warn',
    onDrift: options.onDrift ?? createDriftWarner(),
    middleware: checkedMiddleware(options.middleware ?? []),
    logger: checkedLogger(options.logger),
    redact: redactorFor(apiKey),
    workspace: checkedWorkspace(options.workspace),
  };
  checkNumbers(settings);
  if (!['warn', 'strict', 'off'].includes(settings.validation))
    throw new ConfigurationError("validation must be 'warn', 'strict' or 'off'.");
  return settings;
}

function apiKeySource(apiKey: ClientOptions['apiKey']): ApiKeySource {
  return typeof apiKey === 'function' ? askedKey(apiKey, checkedApiKey) : fixedKey(checkedApiKey(apiKey));
}

function checkedApiKey(apiKey: unknown): string {
  if (apiKey === undefined || apiKey === '') {
    throw new ConfigurationError(
      'There is no API key: pass apiKey, or set the environment variable MESSAGING_AUTOMATION_API_KEY.',
    );
  }
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigurationError(
      'apiKey must be a string of visible ASCII characters, or a function that gives one. Look for a space or a line break around it, ' +
        'as reading it from a file leaves one.',
    );
  }
  return apiKey;
}

function checkedBaseUrl(baseUrl: string | undefined): string {
  if (baseUrl === undefined || baseUrl === '') {
    throw new ConfigurationError(
      'There is no base URL: pass baseUrl, or set the environment variable MESSAGING_AUTOMATION_BASE_URL. ' +
        'It ends in /api, as in https://messaging.example.com/api.',
    );
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new ConfigurationError(
      'baseUrl must be an absolute URL that begins with https:// or http://, ' +
        'as in https://messaging.example.com/api.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError(
      'baseUrl must hold no user name and no password; the API key goes into apiKey.',
    );
  }
  if (url.search !== '' || url.hash !== '')
    throw new ConfigurationError('baseUrl must end with its path: leave out everything from ? or # on.');
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith('/v1')) {
    throw new ConfigurationError(
      'baseUrl must not end in /v1, which the client adds itself: end it before that, as in ' +
        'https://messaging.example.com/api.',
    );
  }
  return url.origin + path;
}

function checkedTransport({ fetch, transport }: ClientOptions): Transport {
  if (transport === undefined) return createKyTransport(fetch);
  if (fetch !== undefined)
    throw new ConfigurationError('Give fetch or transport, not both: a transport does not use fetch.');
  if (typeof transport?.exchange !== 'function')
    throw new ConfigurationError('transport must have a method exchange, as what undiciTransport() gives.');
  return transport;
}

function checkedMiddleware(middleware: readonly Middleware[]): readonly Middleware[] {
  if (!Array.isArray(middleware) || middleware.some((layer) => typeof layer !== 'function'))
    throw new ConfigurationError('middleware must be an array of functions.');
  return [...middleware];
}

function checkedLogger(logger: Logger | undefined): Logger | undefined {
  const levels = ['debug', 'info', 'warn', 'error'] as const;
  if (logger !== undefined && !levels.some((level) => typeof logger?.[level] === 'function'))
    throw new ConfigurationError(`logger must have at least one of the methods ${levels.join(', ')}.`);
  return logger;
}

function checkedWorkspace(workspace: Workspace | undefined): WorkspaceRules | undefined {
  if (workspace !== undefined && workspace?.rules === undefined)
    throw new ConfigurationError('workspace must be what defineWorkspace gives.');
  return workspace?.rules;
}

function checkNumbers({ timeout, retries, backoff, maxRetryAfter }: CallSettings): void {
  const problem = problemWithTimeout(timeout) ?? problemWithRetries(retries);
  if (problem) throw new ConfigurationError(`${problem.field} ${problem.message}.`);
  const durations = { 'backoff.initial': backoff.initial, 'backoff.max': backoff.max, maxRetryAfter };
  for (const [name, duration] of Object.entries(durations)) {
    if (!Number.isFinite(duration) || duration < 0)
      throw new ConfigurationError(`${name} must be a number of milliseconds, 0 or more.`);
  }
}

/** The variable's value, where this runtime has an environment at all. */
function fromEnvironment(name: string): string | undefined {
  const environment = runtimeProcess()?.env;
  const value = isObject(environment) ? environment[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
