import { hasMethods } from '../../foundation/options.js';
import { headersFromMiddleware } from '../request/headers.js';
import type { TransportRequest, TransportResponse } from '../transport/transport.js';
import type { Middleware, MiddlewareRequest } from './middleware.js';

/** What middleware sees of a request in addition to the HTTP request itself. */
export type RequestDescription = Pick<MiddlewareRequest, 'operation' | 'urlTemplate' | 'attempt'>;

/**
 * Calls the middleware, outermost first, and then `send`. `send` is called at most once, and not after the middleware
 * has answered.
 */
export async function passThrough(
  middleware: readonly Middleware[],
  request: TransportRequest,
  description: RequestDescription,
  send: (request: TransportRequest) => Promise<TransportResponse>,
): Promise<TransportResponse> {
  let over = false;

  async function pass(shown: MiddlewareRequest, layer: number): Promise<TransportResponse> {
    request.signal.throwIfAborted();
    if (over) throw new TypeError('next was called after the middleware had answered.');
    const current = middleware[layer];
    if (current === undefined)
      return send({ ...request, headers: headersFromMiddleware(request.headers, shown.headers) });
    let passedOn = false;
    const passOn = async (changed: MiddlewareRequest) => {
      if (passedOn)
        throw new TypeError(
          'next was called twice. An attempt makes one request; the client sees to retries.',
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
    throw new TypeError(`next was given another ${different}; middleware may change the headers alone.`);
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
