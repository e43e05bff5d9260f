import type { Clock } from '../../foundation/clock.js';
import { notify } from '../../foundation/listeners.js';
import { steersFramework } from '../../foundation/steering.js';
import { type Outcome, RequestError } from '../errors/request-error.js';
import type { CallState } from '../request/request.js';
import type { WithResponse } from '../response/interpret.js';
import type { CallTrace, TracingChannel } from './tracing.js';

/**
 * The fields of a log line. They identify neither the contact nor the content: they contain no key, secret, phone
 * number, request body or URL with values.
 */
export interface LogFields {
  /** The resource and the verb of the call, such as `contacts.upsert`. */
  readonly operation: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path without its values, such as `/v1/contacts/:id`. */
  readonly urlTemplate: string;
  /** The number of attempts so far. */
  readonly attempts: number;
  /** The duration of the call in milliseconds, when it has ended. */
  readonly durationMs?: number;
  /** The wait before the next attempt, in milliseconds. */
  readonly delayMs?: number;
  /** The HTTP status, if a response arrived. */
  readonly status?: number;
  /** The service's id of the request, from the response header `x-request-id`. */
  readonly requestId?: string;
  /** The name of the error class. */
  readonly errorName?: string;
  /** The service's error code, or the code of the connection failure. */
  readonly code?: string;
  /** What became of the request, when the call failed. */
  readonly outcome?: Outcome;
}

/**
 * Receives the log lines of the client. `console` and pino loggers fit. The client skips levels without a method, and
 * ignores what a method throws or rejects with.
 *
 * - `debug`: an attempt starts.
 * - `info`: a call succeeded, or its caller or the framework around it ended it.
 * - `warn`: an attempt failed, and the client will retry.
 * - `error`: a call failed.
 *
 * @example
 * ```ts
 * import { type Logger, MessagingAutomation } from 'messaging-automation';
 *
 * const logger: Logger = {
 *   warn: ({ operation, status }, message) => console.warn(message, { operation, status }),
 *   error: ({ operation, outcome }, message) => console.error(message, { operation, outcome }),
 * };
 * const messaging = new MessagingAutomation({ logger });
 * await messaging.templates.list();
 * ```
 */
export interface Logger {
  /** Called with the fields and a complete sentence. The fields make the log searchable. */
  readonly debug?: ((fields: LogFields, message: string) => unknown) | undefined;
  /** Like `debug`. */
  readonly info?: ((fields: LogFields, message: string) => unknown) | undefined;
  /** Like `debug`. */
  readonly warn?: ((fields: LogFields, message: string) => unknown) | undefined;
  /** Like `debug`. */
  readonly error?: ((fields: LogFields, message: string) => unknown) | undefined;
}

/** What the log of a call needs. */
export interface CallLogOptions {
  readonly logger: Logger | undefined;
  readonly clock: Clock;
  readonly call: CallState;
}

/** The log of one call. Only a call with a logger or a tracer loads this file. No logger and no clock can change what happens to the call. */
export class CallLog {
  readonly #logger: Logger | undefined;
  readonly #clock: Clock;
  readonly #call: CallState;
  #start = 0;

  constructor({ logger, clock, call }: CallLogOptions) {
    this.#logger = logger;
    this.#clock = clock;
    this.#call = call;
    notify(() => {
      this.#start = clock.now();
    });
  }

  attemptBegins(): void {
    const { attempts, operation } = this.#call;
    this.#write('debug', {}, `attempt ${attempts}: ${operation.method} ${operation.path}`);
  }

  attemptFailed(error: RequestError, delay: number): void {
    const delayMs = Math.round(delay);
    const message = `attempt ${this.#call.attempts} failed with ${titleOf(error)}, the next follows in ${delayMs} ms`;
    this.#write('warn', { ...fieldsOf(error), delayMs }, message);
  }

  /** Logs how the call ends, without affecting it. */
  async follow<Data>(
    work: () => Promise<WithResponse<Data>>,
    signal: AbortSignal | undefined,
  ): Promise<WithResponse<Data>> {
    try {
      const received = await work();
      const { response, requestId, attempts } = received;
      if (attempts === 0)
        this.#ended('info', 'was sent before, by an earlier call with its idempotency key,', { requestId });
      else this.#ended('info', `returned ${response.status}`, { status: response.status, requestId });
      return received;
    } catch (error) {
      const { outcome } = error instanceof RequestError ? error : this.#call;
      if (signal?.aborted && error === signal.reason)
        this.#ended('info', 'was aborted by its caller', { outcome });
      else if (steersFramework(error))
        this.#ended('info', 'was ended by the framework around it', { outcome });
      else this.#ended('error', `failed with ${titleOf(error)}`, { ...fieldsOf(error), outcome });
      throw error;
    }
  }

  #ended(level: keyof Logger, what: string, particulars: Particulars): void {
    notify(() => {
      const { attempts } = this.#call;
      const durationMs = this.#clock.now() - this.#start;
      const effort = `after ${durationMs} ms and ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
      const { outcome } = particulars;
      const message = `${what} ${effort}${outcome ? `, outcome ${outcome}` : ''}`;
      this.#write(level, { ...particulars, durationMs }, message);
    });
  }

  #write(level: keyof Logger, particulars: Particulars, message: string): void {
    const { attempts, operation } = this.#call;
    const { name, method, path } = operation;
    const known = Object.entries(particulars).filter(([, value]) => value !== undefined);
    const subject = { operation: name, method, urlTemplate: path, attempts };
    notify(() => this.#logger?.[level]?.({ ...subject, ...Object.fromEntries(known) }, `${name} ${message}`));
  }
}

type Subject = 'operation' | 'method' | 'urlTemplate' | 'attempts';
type Particulars = { readonly [Name in Exclude<keyof LogFields, Subject>]?: LogFields[Name] | undefined };

function fieldsOf(error: unknown): Particulars {
  if (!(error instanceof RequestError)) return {};
  const { name, status, code, requestId } = error;
  return { errorName: name, status, code, requestId };
}

/** The facts about an error that contain no user data. Its message is left to the code that catches it. */
function titleOf(error: unknown): string {
  if (!(error instanceof RequestError)) return 'an unexpected error';
  const { name, status, code } = error;
  return [name, status, code].filter((part) => part !== undefined).join(' ');
}

/** Runs the work of a call within the tracing channel, so that subscribers see it and bound stores apply. */
export async function trace<Data>(
  channel: TracingChannel,
  call: CallState,
  baseUrl: string,
  work: () => Promise<WithResponse<Data>>,
): Promise<WithResponse<Data>> {
  const { name, method, path } = call.operation;
  const context: CallTrace = {
    operation: name,
    method,
    urlTemplate: path,
    ...serverOf(baseUrl),
    attempts: 0,
  };
  const give = await channel.tracePromise(async () => {
    try {
      const received = await work();
      const { response, requestId } = received;
      const { attempts } = call;
      // A replay made no request, so no response arrived.
      Object.assign(context, { attempts, status: attempts === 0 ? undefined : response.status, requestId });
      // Returns a function because the channel shows this result to subscribers, who might log a contact.
      return () => received;
    } catch (error) {
      const { attempts } = call;
      const { outcome } = error instanceof RequestError ? error : call;
      const { status, requestId } = fieldsOf(error);
      Object.assign(context, { attempts, outcome, status, requestId });
      throw error;
    }
  }, context);
  return give();
}

function serverOf(baseUrl: string): Pick<CallTrace, 'serverAddress' | 'serverPort'> {
  if (baseUrl === '') return { serverAddress: '', serverPort: 443 };
  const { hostname, port, protocol } = new URL(baseUrl);
  const standardPort = protocol === 'https:' ? 443 : 80;
  return {
    serverAddress: hostname.replace(/^\[(.*)\]$/, '$1'),
    serverPort: port === '' ? standardPort : Number(port),
  };
}
