import type { LookupAddress } from 'node:dns';
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { signatureHeader } from '../../contract/delivery.js';
import { onAbort } from '../../foundation/listeners.js';
import { problemWithAddress, type ReceiverAddresses } from '../service/address-policy.js';
import {
  type Attempt,
  type AttemptResult,
  describe,
  followingRedirects,
  orAborted,
  ReceivedResponse,
  type Sender,
} from './sender.js';

/** The modules of Node that send. The first attempt loads them. */
interface NodeHttp {
  readonly http: typeof import('node:http');
  readonly https: typeof import('node:https');
  readonly dns: typeof import('node:dns');
  readonly net: typeof import('node:net');
}

/**
 * Sends with Node's HTTP. It checks the address that a name resolves to, and connects to that exact address. It reuses
 * connections.
 */
export class NodeSender implements Sender {
  readonly #receiverAddresses: ReceiverAddresses;
  #node: Promise<NodeHttp> | undefined;
  #agents: { readonly http: Agent; readonly https: Agent } | undefined;

  constructor(receiverAddresses: ReceiverAddresses) {
    this.#receiverAddresses = receiverAddresses;
  }

  async send(attempt: Attempt, signal: AbortSignal): Promise<AttemptResult> {
    this.#node ??= loadNode();
    const node = await this.#node;
    return followingRedirects(attempt, this.#receiverAddresses, async (request) => {
      if (signal.aborted) return { error: describe(signal.reason) };
      const url = new URL(request.url);
      const problem = this.#problemWithLiteral(node, url.hostname);
      if (problem !== undefined) return { error: `the receiver's address ${problem}` };
      return this.#exchange(node, url, request, signal);
    });
  }

  close(): void {
    this.#agents?.http.destroy();
    this.#agents?.https.destroy();
  }

  /**
   * Sends a request, on a kept connection if there is one. The receiver may close that one just when the request begins. So if it breaks
   * before any byte of a response, the request is sent once more, on a fresh connection.
   */
  async #exchange(node: NodeHttp, url: URL, attempt: Attempt, signal: AbortSignal): Promise<AttemptResult> {
    this.#agents ??= {
      http: new node.http.Agent({ keepAlive: true }),
      https: new node.https.Agent({ keepAlive: true }),
    };
    const agent = url.protocol === 'https:' ? this.#agents.https : this.#agents.http;
    const request = this.#request(node, url, attempt, agent);
    const wasStale = watchConnection(request);
    const result = await exchange(request, attempt.body, signal);
    if (signal.aborted || !wasStale()) return result;
    return exchange(this.#request(node, url, attempt, false), attempt.body, signal);
  }

  /** @param agent - `false` for a fresh connection that is not kept. */
  #request(node: NodeHttp, url: URL, { body, signature }: Attempt, agent: Agent | false): ClientRequest {
    const options: RequestOptions = {
      method: 'POST',
      agent,
      lookup: this.#checkedLookup(node),
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': body.byteLength,
        [signatureHeader]: signature,
      },
    };
    return url.protocol === 'https:' ? node.https.request(url, options) : node.http.request(url, options);
  }

  /** Checks a URL whose host is an address, because Node does not call `lookup` for it. */
  #problemWithLiteral({ net }: NodeHttp, hostname: string): string | undefined {
    const address = hostname.replace(/[[\]]/g, '');
    return net.isIP(address) === 0 ? undefined : problemWithAddress(address, this.#receiverAddresses);
  }

  #checkedLookup({ dns }: NodeHttp): LookupFunction {
    return (hostname, options, callback) => {
      dns.lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, []);
        const addresses: readonly LookupAddress[] = found;
        const problem = addresses
          .map(({ address }) => problemWithAddress(address, this.#receiverAddresses))
          .find((each) => each !== undefined);
        const [first] = addresses;
        if (problem !== undefined || first === undefined) {
          return callback(new Error(`the receiver's address ${problem ?? 'is not known'}`), []);
        }
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      });
    };
  }
}

async function loadNode(): Promise<NodeHttp> {
  const [http, https, dns, net] = await Promise.all([
    import('node:http'),
    import('node:https'),
    import('node:dns'),
    import('node:net'),
  ]);
  // Use the default exports: interceptors such as MSW replace their members.
  return { http: http.default, https: https.default, dns: dns.default, net: net.default };
}

/** Returns what tells, once a request has ended, whether it had a kept connection that brought no byte of a response. */
function watchConnection(request: ClientRequest): () => boolean {
  let bytesBefore = 0;
  request.once('socket', ({ bytesRead }) => {
    bytesBefore = bytesRead;
  });
  return () => request.reusedSocket && request.socket?.bytesRead === bytesBefore;
}

/** Sends one request and reads the response. */
async function exchange(
  request: ClientRequest,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const leave = onAbort(signal, () => request.destroy());
  let received: ReceivedResponse | undefined;
  try {
    // Node sends a latin1 string in one piece with the head. Latin1 keeps every byte.
    request.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1');
    const response = await orAborted(signal, responseTo(request));
    const { statusCode: status = 0 } = response;
    received = new ReceivedResponse(status, pairsOf(response.rawHeaders));
    // What follows a 101 is another protocol.
    if (status !== 101) await orAborted(signal, bodyOf(response, received));
    return received.result();
  } catch (error) {
    const where = received === undefined ? 'no response' : 'response interrupted';
    const message = signal.aborted ? describe(signal.reason) : `${where}: ${describe(error)}`;
    return received?.brokenOff(message) ?? { error: message };
  } finally {
    leave();
  }
}

/** The response to a request. A request that ends in any other way rejects. */
function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    // Keep this listener: an error after the response began must not end the process.
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection was closed')));
  });
}

/** Reads a body up to the limit by its events, because an iterator takes several times as long. Ends the connection of a longer one. */
function bodyOf(response: IncomingMessage, received: ReceivedResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Uint8Array) => {
      if (received.add(chunk)) return;
      response.destroy();
      resolve();
    });
    response.once('end', () => {
      received.end();
      resolve();
    });
    response.on('error', reject);
    response.once('close', () => reject(new Error('the connection was closed')));
  });
}

/** Names and values, which Node lists one after the other. */
function* pairsOf(raw: readonly string[]): Iterable<readonly [name: string, value: string]> {
  for (let index = 0; index < raw.length; index += 2) yield [raw[index] ?? '', raw[index + 1] ?? ''];
}
