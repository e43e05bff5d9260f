import type { Outcome } from '../errors/request-error.js';

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
 * - `info`: a call succeeded, or its caller aborted it.
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
