import type { Answer } from '../answers/answer.js';
import { faultHeader } from '../faults/request-faults.js';
import type { ReceivedRequest } from './received-request.js';

/** Allows web pages of the given origins, or of all (`*`), to call the API. */
export class Cors {
  readonly #origins: readonly string[];

  constructor(origins: '*' | readonly string[]) {
    this.#origins = origins === '*' ? ['*'] : origins;
  }

  /** The response to a browser's preflight request. Undefined for any other request. */
  preflight(request: ReceivedRequest): Answer | undefined {
    const method = request.header('access-control-request-method');
    if (request.method !== 'OPTIONS' || method === undefined || !this.#letsIn(request)) return undefined;
    return {
      status: 204,
      headers: {
        'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
        'Access-Control-Allow-Headers': `Authorization, Content-Type, Last-Event-ID, ${faultHeader}`,
        'Access-Control-Max-Age': '600',
      },
    };
  }

  /** The response headers that allow the browser to give the response to a page. */
  headersFor(request: ReceivedRequest): Readonly<Record<string, string>> {
    const origin = request.header('origin');
    if (origin === undefined || !this.#letsIn(request)) return {};
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
      Vary: 'Origin',
    };
  }

  #letsIn(request: ReceivedRequest): boolean {
    const origin = request.header('origin') ?? '';
    return this.#origins.includes('*') || this.#origins.includes(origin);
  }
}
