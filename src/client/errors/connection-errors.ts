import { describeErrorClass } from '../../foundation/base-error.js';
import { RequestError } from './request-error.js';

/**
 * No answer came, or not the whole of it: the service could not be reached, or the connection was lost.
 *
 * `outcome` is `not_sent` when the request provably never left (connection refused, name not found), else
 * `unknown`. `code` is that of the failed connection, such as `ECONNREFUSED`, where the runtime tells it.
 *
 * @example
 * ```ts
 * import { ConnectionError, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation({ apiKey: 'key', baseUrl: 'http://127.0.0.1:2/api', retries: 0 });
 * try {
 *   await messaging.templates.list();
 * } catch (error) {
 *   if (!(error instanceof ConnectionError)) throw error;
 *   console.error(error.code, error.outcome);
 * }
 * ```
 */
export class ConnectionError extends RequestError {
  static {
    describeErrorClass(this, 'ConnectionError');
  }
}

/**
 * The call's deadline passed. The deadline, `timeout`, covers the whole call: connecting, headers, body, every
 * attempt and the waits between them.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, TimeoutError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.templates.list({ timeout: 1 });
 * } catch (error) {
 *   if (!(error instanceof TimeoutError)) throw error;
 *   console.error(error.operation, error.attempts);
 * }
 * ```
 */
export class TimeoutError extends RequestError {
  static {
    describeErrorClass(this, 'TimeoutError');
  }
}
