import { hasMethods } from '../../foundation/options.js';
import { headersFromMiddleware } from '../request/headers.js';
import type { TransportRequest, TransportResponse } from '../transport/transport.js';

/** The request of one attempt, as middleware sees it. It does not contain the API key. */
export type MiddlewareRequest = {
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
};

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

/**
 * Calls the middleware, outermost first, and then `send`. `send` is called at most once, and not after the middleware
 * has responded.
 *
 * @param description What middleware sees of a request in addition to the HTTP request itself.
 */
export async function passThrough(
  middleware: readonly Middleware[],
  request: TransportRequest,
  description: Pick<MiddlewareRequest, 'operation' | 'urlTemplate' | 'attempt'>,
  send: (request: TransportRequest) => Promise<TransportResponse>,
): Promise<TransportResponse> {
  let over = false;

  async function pass(shown: MiddlewareRequest, layer: number): Promise<TransportResponse> {
    request.signal.throwIfAborted();
    if (over) throw new TypeError('next was called after the middleware had responded.');
    const current = middleware[layer];
    if (current === undefined)
      return send({ ...request, headers: headersFromMiddleware(request.headers, shown.headers) });
    let passedOn = false;
    const passOn = async (changed: MiddlewareRequest) => {
      if (passedOn)
        throw new TypeError(
          'next was called twice. An attempt makes one request; the client does the retries.',
        );
      passedOn = true;
      const headers = headersFromMiddleware(shown.headers, checkOnlyHeadersDiffer(shown, changed).headers);
      return pass({ ...shown, headers }, layer + 1);
    };
    const next = (changed: MiddlewareRequest) => {
      const passed = passOn(changed);
      passed.catch(() => {}); // a middleware that does not wait for it must not bring the process down
      return passed;
    };
    return checkResponse(await current(shown, next));
  }

  const { method, url, headers, body, signal } = request;
  try {
    return await pass({ ...description, method, url, headers, body, signal }, 0);
  } finally {
    over = true;
  }
}

const fixed = ['operation', 'method', 'urlTemplate', 'url', 'body', 'attempt', 'signal'] as const;

function checkOnlyHeadersDiffer(shown: MiddlewareRequest, changed: MiddlewareRequest): MiddlewareRequest {
  if (typeof changed !== 'object' || changed === null)
    throw new TypeError('next was called without the request; call next(request).');
  const different = fixed.find((name) => changed[name] !== shown[name]);
  if (different !== undefined)
    throw new TypeError(`Middleware changed ${different}; only headers may change.`);
  return changed;
}

/** Checks at run time, because middleware without types, or without a `return`, may return anything. */
function checkResponse(response: TransportResponse): TransportResponse {
  const { status, headers, body }: { status?: unknown; headers?: unknown; body?: unknown } = Object(response);
  // The method of the headers and not their class, because a custom fetch or a test realm may have its own `Headers`.
  if (Number.isInteger(status) && typeof body === 'string' && hasMethods('get')(headers)) return response;
  throw new TypeError(
    'It returned no response: return what next returns, or { status, headers, body } with Headers and a string.',
  );
}
