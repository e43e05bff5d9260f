import type { Clock } from '../../foundation/clock.js';
import { notify } from '../../foundation/notify.js';
import type { WithResponse } from '../answer/with-response.js';
import { type Outcome, RequestError } from '../errors/request-error.js';
import type { WatchedCall } from './watched-call.js';

/**
 * What a line of the log is about. Nothing in it tells whom a call concerns or what it carries: no key, no secret, no
 * phone number, no URL with its values, no body.
 *
 * @example
 * ```ts
 * import { type LogFields, MessagingAutomation } from 'messaging-automation';
 *
 * const slow = ({ operation, durationMs = 0 }: LogFields) => {
 *   if (durationMs > 1_000) console.warn(`${operation} was slow: ${durationMs} ms`);
 * };
 * const messaging = new MessagingAutomation({ logger: { info: slow } });
 * await messaging.templates.list();
 * ```
 */
export interface LogFields {
  /** Resource and verb of the call, as in `contacts.upsert`. */
  readonly operation: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path without its values, as in `/v1/contacts/:id`. */
  readonly urlTemplate: string;
  /** The number of attempts so far. */
  readonly attempts: number;
  /** How long the call took, in milliseconds; when it is over. */
  readonly durationMs?: number;
  /** How long the client waits before it tries again, in milliseconds. */
  readonly delayMs?: number;
  /** The HTTP status, where an answer came. */
  readonly status?: number;
  /** The service's id of the request, where the answer carried one. */
  readonly requestId?: string;
  /** The name of the error's class. */
  readonly errorName?: string;
  /** The service's error code, or that of the failed connection. */
  readonly code?: string;
  /** What became of the request, when the call failed. */
  readonly outcome?: Outcome;
}

/**
 * Who is told what the client does. Both `console` and a pino logger are one; a level without a method is not
 * logged. What a method throws, or rejects with, is ignored.
 *
 * - `debug`: an attempt begins.
 * - `info`: a call has succeeded, or its caller has aborted it.
 * - `warn`: an attempt has failed, and the client will try again.
 * - `error`: a call has failed.
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
  /** The message says all by itself; the fields are for whoever searches the log. */
  readonly debug?: ((fields: LogFields, message: string) => unknown) | undefined;
  /** As `debug`. */
  readonly info?: ((fields: LogFields, message: string) => unknown) | undefined;
  /** As `debug`. */
  readonly warn?: ((fields: LogFields, message: string) => unknown) | undefined;
  /** As `debug`. */
  readonly error?: ((fields: LogFields, message: string) => unknown) | undefined;
}

/** Writes down how one call goes. */
export class CallLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #call: WatchedCall;
  readonly #start: number;

  constructor(logger: Logger, clock: Clock, call: WatchedCall) {
    this.#logger = logger;
    this.#clock = clock;
    this.#call = call;
    this.#start = clock.now();
  }

  attemptBegins(): void {
    const { method, path } = this.#call.operation;
    this.#write('debug', {}, `attempt ${this.#call.attempts}: ${method} ${path}`);
  }

  attemptFailed(error: RequestError, delay: number): void {
    const delayMs = Math.round(delay);
    const message = `attempt ${this.#call.attempts} failed with ${titleOf(error)}, the next follows in ${delayMs} ms`;
    this.#write('warn', { ...fieldsOf(error), delayMs }, message);
  }

  /** Writes down how the work of the call ends; it ends as it would without. */
  async follow<Data>(
    work: () => Promise<WithResponse<Data>>,
    signal: AbortSignal | undefined,
  ): Promise<WithResponse<Data>> {
    try {
      const answer = await work();
      this.#succeeded(answer);
      return answer;
    } catch (error) {
      if (signal?.aborted && error === signal.reason) this.#aborted();
      else this.#failed(error);
      throw error;
    }
  }

  #succeeded({ response: { status }, requestId }: WithResponse<unknown>): void {
    const durationMs = this.#duration();
    this.#write(
      'info',
      { status, requestId, durationMs },
      `was answered ${status} ${this.#effort(durationMs)}`,
    );
  }

  #aborted(): void {
    const durationMs = this.#duration();
    const { outcome } = this.#call;
    const message = `was aborted by its caller ${this.#effort(durationMs)}, outcome ${outcome}`;
    this.#write('info', { outcome, durationMs }, message);
  }

  #failed(error: unknown): void {
    const durationMs = this.#duration();
    const { outcome } = this.#call;
    const message = `failed with ${titleOf(error)} ${this.#effort(durationMs)}, outcome ${outcome}`;
    this.#write('error', { ...fieldsOf(error), outcome, durationMs }, message);
  }

  #duration(): number {
    return this.#clock.now() - this.#start;
  }

  #effort(durationMs: number): string {
    const { attempts } = this.#call;
    return `after ${durationMs} ms and ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  }

  #write(level: keyof Logger, particulars: Particulars, message: string): void {
    const { operation, attempts } = this.#call;
    const { name, method, path } = operation;
    const known = Object.entries(particulars).filter(([, value]) => value !== undefined);
    const subject = { operation: name, method, urlTemplate: path, attempts };
    notify(() => this.#logger[level]?.({ ...subject, ...Object.fromEntries(known) }, `${name} ${message}`));
  }
}

type Subject = 'operation' | 'method' | 'urlTemplate' | 'attempts';
type Particulars = { readonly [Name in Exclude<keyof LogFields, Subject>]?: LogFields[Name] | undefined };

function fieldsOf(error: unknown): Particulars {
  if (!(error instanceof RequestError)) return {};
  const { name, status, code, requestId } = error;
  return { errorName: name, status, code, requestId };
}

/** Says of an error what is the same for every user's data; its message is left to whoever catches it. */
function titleOf(error: unknown): string {
  if (!(error instanceof RequestError)) return 'an error that was not foreseen';
  const { name, status, code } = error;
  return [name, status, code].filter((part) => part !== undefined).join(' ');
}
