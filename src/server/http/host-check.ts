import { type Answer, errorAnswerOf } from '../answers/answer.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { ReceivedRequest } from './received-request.js';

/** `localhost` and its subdomains, which every resolver keeps on this machine. */
const localName = /^(?:.+\.)?localhost$/;

/** An address in place of a name. No DNS server can give it another meaning. */
const addressAsHost = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/;

/** The addresses of this machine alone, as a socket names them. */
const loopback = /^(?:::ffff:)?127\.|^::1$/;

/**
 * Refuses requests that a foreign web page sends to this machine through DNS rebinding: its own name resolves to a
 * loopback address, so the browser takes this server for the page's own. Such a request arrives on a loopback address
 * and has a foreign name in its Host header.
 */
export class HostCheck {
  readonly #allowed: ReadonlySet<string>;

  /** @param allowed - Further host names, without a port. */
  constructor(allowed: readonly string[]) {
    this.#allowed = new Set(allowed.map((name) => name.toLowerCase()));
  }

  /** The refusal of the request. Undefined if the request may pass. */
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
      'The Host header names another host than this machine, which is how a foreign web page reaches a local server. If you sent this request through a proxy, add the name to allowedHosts, or start serve with --allowed-hosts.';
    return errorAnswerOf(421, { code: 'misdirected_request', message }, gaps);
  }
}
