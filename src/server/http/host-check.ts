import { type Answer, errorAnswerOf } from '../answers/answer.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { ReceivedRequest } from './received-request.js';

/** `localhost` and its subdomains, which every resolver keeps on this machine. */
const localName = /^(?:.+\.)?localhost$/;

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
  refusal(request: ReceivedRequest, gaps: SpecGaps): Answer | undefined {
    const host = request.header('host') ?? '';
    const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
    const passes =
      name === '' ||
      !loopback.test(request.localAddress) ||
      localName.test(name) ||
      addressAsHost.test(name) ||
      this.#allowed.has(name);
    if (passes) return undefined;
    const message =
      'The Host header names another host. The server rejects such requests, because a foreign web page could send them through DNS rebinding. If you sent this request through a proxy, add its host name to allowedHosts, or start serve with --allowed-hosts.';
    return errorAnswerOf(421, { code: 'misdirected_request', message }, gaps);
  }
}
