import { describeErrorClass } from '../../foundation/base-error.js';
import { RequestError } from './request-error.js';

/**
 * A middleware of your own threw, or broke the rules of {@link Middleware}. The call is not made again.
 *
 * `outcome` tells what had become of the request by then: `not_sent` where the middleware had not passed it on,
 * else what the service's answer, or the lack of one, says. `cause` is what was thrown: a copy of its name,
 * message and stack, cleaned of keys and phone numbers.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, MiddlewareError } from 'messaging-automation';
 *
 * const readOnly = new MessagingAutomation({
 *   middleware: [
 *     (request, next) => {
 *       if (request.method !== 'GET') throw new Error('This process only reads.');
 *       return next(request);
 *     },
 *   ],
 * });
 * try {
 *   await readOnly.contacts.upsert({ phone: '+15551234567' });
 * } catch (error) {
 *   if (!(error instanceof MiddlewareError)) throw error;
 *   console.error(error.outcome, error.cause); // not_sent, Error: This process only reads.
 * }
 * ```
 */
export class MiddlewareError extends RequestError {
  static {
    describeErrorClass(this, 'MiddlewareError');
  }
}
