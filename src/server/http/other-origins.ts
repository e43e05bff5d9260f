import { isThisMachine } from '../../foundation/this-machine.js';
import { faultHeader } from '../faults/request-faults.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import { errorResponseOf, type HttpResponse } from '../responses/response.js';
import type { ServerRequest } from './server-request.js';

/** Allows web pages of the given origins, or of all (`*`), to call the API. */
export class Cors {
  readonly #origins: readonly string[];

  constructor(origins: '*' | readonly string[]) {
    this.#origins = origins === '*' ? ['*'] : origins;
  }

  /** The response to a browser's preflight request. Undefined for any other request. */
  preflight(request: ServerRequest): HttpResponse | undefined {
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
  headersFor(request: ServerRequest): Readonly<Record<string, string>> {
    const origin = request.header('origin');
    if (origin === undefined || !this.#letsIn(request)) return {};
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
      Vary: 'Origin',
    };
  }

  #letsIn(request: ServerRequest): boolean {
    const origin = request.header('origin') ?? '';
    return this.#origins.includes('*') || this.#origins.includes(origin);
  }
}

/** An address instead of a name. DNS cannot redirect it. */
const addressAsHost = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/;

/** The loopback addresses, as a socket reports them. */
const loopback = /^(?:::ffff:)?127\.|^::1$/;

/**
 * Rejects requests that a foreign web page sends to this machine through DNS rebinding: the page's host name resolves to a
 * loopback address, so the browser treats this server as the page's own. Such a request arrives on a loopback address with a
 * foreign name in its Host header.
 */
export class HostCheck {
  readonly #allowed: ReadonlySet<string>;

  /** @param allowed - Further host names, without a port. */
  constructor(allowed: readonly string[]) {
    this.#allowed = new Set(allowed.map((name) => name.toLowerCase()));
  }

  /** Returns the error response. Undefined if the request is allowed. */
  refusal(request: ServerRequest, gaps: SpecGaps): HttpResponse | undefined {
    const host = request.header('host') ?? '';
    const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
    const passes =
      name === '' ||
      !loopback.test(request.localAddress) ||
      isThisMachine(name) ||
      addressAsHost.test(name) ||
      this.#allowed.has(name);
    if (passes) return undefined;
    const message =
      'The Host header names another host. The server rejects such requests, because a foreign web page could send them through DNS rebinding. If you sent this request through a proxy, add its host name to allowedHosts, or start serve with --allowed-hosts.';
    return errorResponseOf(421, { code: 'misdirected_request', message }, gaps);
  }
}
