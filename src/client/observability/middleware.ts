import type { TransportResponse } from '../transport/transport.js';

/** The request of one attempt, as middleware sees it. It does not contain the API key. */
export interface MiddlewareRequest {
  /** The resource and the verb of the call, such as `contacts.upsert`. */
  readonly operation: string;
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * The path without its values, such as `/v1/contacts/:id`. It is safe to log, and the same for every contact.
   */
  readonly urlTemplate: string;
  /** The complete URL. For `contacts.find`, it contains a phone number. */
  readonly url: string;
  /**
   * The headers by lower-case name, without `authorization`. Middleware may change them, and nothing else.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The request body as JSON text; `undefined` without one. It contains phone numbers and properties. */
  readonly body: string | undefined;
  /** The number of this attempt, counted from 1. */
  readonly attempt: number;
  /**
   * Aborts when the deadline of the call passes or the caller aborts. Pass it to whatever the middleware awaits.
   */
  readonly signal: AbortSignal;
}

/**
 * Wraps each attempt of each call: it receives the request, calls `next` with it, and returns the response. The first
 * middleware of a client is the outermost.
 *
 * - It may add, change and remove headers, except those that the client sets. It may change nothing else.
 * - It may call `next` once. The client does the retries, because it knows which requests are safe to repeat.
 * - It may return its own {@link TransportResponse} without calling `next`. Then nothing is sent.
 * - `next` rejects with a {@link ConnectionError} if no response arrived, and with the reason of the signal if the call
 *   has ended. Rethrow these errors: the client then treats them as it does without middleware.
 * - Any other error ends the call with a {@link MiddlewareError}. Its `outcome` says what became of the request.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type Middleware } from 'messaging-automation';
 *
 * const tenant: Middleware = async (request, next) => {
 *   const response = await next({ ...request, headers: { ...request.headers, 'x-tenant': 'blue' } });
 *   console.log(request.operation, request.attempt, response.status);
 *   return response;
 * };
 * const messaging = new MessagingAutomation({ middleware: [tenant] });
 * await messaging.templates.list();
 * ```
 */
export type Middleware = (
  request: MiddlewareRequest,
  /** Passes the request on, to the next middleware or to the service. */
  next: (request: MiddlewareRequest) => Promise<TransportResponse>,
) => TransportResponse | Promise<TransportResponse>;
