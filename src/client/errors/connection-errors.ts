import { describeErrorClass } from '../../foundation/base-error.js';
import { RequestError } from './request-error.js';

/**
 * The client received no response, or only a part of it: it could not reach the service, or lost the connection.
 *
 * `outcome` is `not_sent` if the request certainly did not leave (connection refused, host name not found), else
 * `unknown`. `code` is the code of the connection failure, such as `ECONNREFUSED`, if the runtime reports one.
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
 * The deadline of the call passed. The deadline is the option `timeout`. It covers connecting, response headers and
 * body, every attempt, and the waits between attempts.
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
