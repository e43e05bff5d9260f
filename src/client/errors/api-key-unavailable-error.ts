import { describeErrorClass } from '../../foundation/base-error.js';
import type { CallFacts } from './failure.js';
import { RequestError } from './request-error.js';

/**
 * The function that you passed as `apiKey` threw, or returned an invalid key. `cause` has the reason. The client sent
 * no request with that key.
 *
 * @example
 * ```ts
 * import { ApiKeyUnavailableError, MessagingAutomation } from 'messaging-automation';
 *
 * const apiKey = () => Promise.reject(new Error('The vault is sealed.'));
 * const messaging = new MessagingAutomation({ apiKey, baseUrl: 'https://messaging.example.com/api' });
 * await messaging.templates.list().catch((error) => {
 *   if (error instanceof ApiKeyUnavailableError) console.error(error.outcome); // not_sent
 * });
 * ```
 */
export class ApiKeyUnavailableError extends RequestError {
  static {
    describeErrorClass(this, 'ApiKeyUnavailableError');
  }

  /** @internal */
  constructor(facts: CallFacts, cause: Error) {
    const message = `${facts.operation} has no API key: the function apiKey failed (${cause.message}).`;
    super(`${message} Nothing was sent with it. Look into that function.`, { ...facts, cause });
  }
}
