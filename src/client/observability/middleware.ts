import type { TransportResponse } from '../transport/transport.js';

/**
 * One request as middleware sees it: that of one attempt, on its way to the service. The API key is not in it.
 */
export interface MiddlewareRequest {
  /** Resource and verb of the call, as in `contacts.upsert`. */
  readonly operation: string;
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path without its values, as in `/v1/contacts/:id`: safe to log, and the same for every contact. */
  readonly urlTemplate: string;
  /** The whole URL. That of `contacts.find` holds a phone number. */
  readonly url: string;
  /** The headers, by lower-case name, without `authorization`. The one thing that middleware may change. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text that is sent, where there is one. It holds what the caller gave: phone numbers, properties. */
  readonly body: string | undefined;
  /** The number of this attempt, counted from 1. */
  readonly attempt: number;
  /** Aborts when the call's deadline passes or its caller gives up. Give it to whatever the middleware waits for. */
  readonly signal: AbortSignal;
}

/**
 * What stands around each attempt of each call: it is given the request, passes it on with `next`, and returns the
 * answer. The first of a client's middleware is the outermost.
 *
 * - It may add, change and take away headers, except those that the client sets itself, and nothing else.
 * - It may call `next` once. Retrying stays with the client, which knows what may be sent twice.
 * - It may answer without calling `next`, with a {@link TransportResponse} of its own; then nothing is sent.
 * - `next` rejects with a {@link ConnectionError} where no answer came, and with the signal's reason when the
 *   call is over. Thrown on, either has the effect it would have had without middleware.
 * - Whatever else it throws ends the call with a {@link MiddlewareError}, whose `outcome` tells what had become of
 *   the request by then.
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
