import type { Outcome } from '../errors/request-error.js';

/**
 * What a line of the log is about. Nothing in it tells whom a call concerns or what it carries: no key, no secret, no
 * phone number, no URL with its values, no body.
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
