import { describeErrorClass } from '../../foundation/base-error.js';
import { RequestError } from './request-error.js';

/**
 * One of your middleware functions threw, or broke the rules of {@link Middleware}. The client does not retry the call.
 *
 * `outcome` is `not_sent` if the middleware had not called `next`; otherwise it follows from the response, or from its
 * absence. `cause` is a copy of the thrown error: its name, message and stack, with keys and phone numbers redacted.
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
