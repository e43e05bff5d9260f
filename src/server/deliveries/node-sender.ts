import type { LookupAddress } from 'node:dns';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { signatureHeader } from '../../contract/delivery.js';
import { onAbort } from '../../foundation/listeners.js';
import { problemWithAddress, type ReceiverAddresses } from '../service/address-policy.js';
import {
  ArrivingResponse,
  type AttemptResult,
  Cancellation,
  describe,
  followingRedirects,
  type OutgoingAttempt,
  type Sender,
} from './sender.js';

/** The modules of Node that send. The first attempt loads them. */
interface NodeHttp {
  readonly http: typeof import('node:http');
  readonly https: typeof import('node:https');
  readonly dns: typeof import('node:dns');
  readonly net: typeof import('node:net');
}

interface Destination {
  readonly url: URL;
  /** Why the server must not connect to it. */
  readonly problem: string | undefined;
}

/** How many destinations are remembered. */
const mostDestinations = 1_000;

/**
 * Sends with Node's HTTP. It checks the address that a name resolves to, and connects to that exact address. It reuses
 * connections.
 */
export class NodeSender implements Sender {
  readonly #receiverAddresses: ReceiverAddresses;
  #node: Promise<NodeHttp> | undefined;
  #agents: { readonly http: Agent; readonly https: Agent } | undefined;
  /** By URL. The same ones come again and again, and parsing takes a twentieth of an attempt. */
  readonly #destinations = new Map<string, Destination>();

  constructor(receiverAddresses: ReceiverAddresses) {
    this.#receiverAddresses = receiverAddresses;
  }

  async send(attempt: OutgoingAttempt, cancellation: Cancellation): Promise<AttemptResult> {
    this.#node ??= loadNode();
    const node = await this.#node;
    return followingRedirects(attempt, this.#receiverAddresses, async (request) => {
      if (cancellation.reason !== undefined) return { error: describe(cancellation.reason) };
      const destination = this.#destinationOf(node, request.url);
      if (destination.problem !== undefined)
        return { error: `the receiver's address ${destination.problem}` };
      return this.#exchange(node, destination, request, cancellation);
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
  async #exchange(
    node: NodeHttp,
    destination: Destination,
    attempt: OutgoingAttempt,
    cancellation: Cancellation,
  ): Promise<AttemptResult> {
    this.#agents ??= {
      http: new node.http.Agent({ keepAlive: true }),
      https: new node.https.Agent({ keepAlive: true }),
    };
    const agent = destination.url.protocol === 'https:' ? this.#agents.https : this.#agents.http;
    const request = this.#request(node, destination, attempt, agent);
    const wasStale = watchConnection(request);
    const result = await exchange(request, attempt.body, cancellation);
    if (cancellation.reason !== undefined || !wasStale()) return result;
    return exchange(this.#request(node, destination, attempt, false), attempt.body, cancellation);
  }

  /** @param agent - `false` for a fresh connection that is not kept. */
  #request(
    { http, https, dns }: NodeHttp,
    { url }: Destination,
    { body, signature }: OutgoingAttempt,
    agent: Agent | false,
  ): ClientRequest {
    return (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      agent,
      lookup: this.#checkedLookup(dns),
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': body.byteLength,
        [signatureHeader]: signature,
      },
    });
  }

  /** Parses a URL. Checks a host that is an address here, because Node does not call `lookup` for it. */
  #destinationOf({ net }: NodeHttp, text: string): Destination {
    const known = this.#destinations.get(text);
    if (known !== undefined) return known;
    const url = new URL(text);
    const host = url.hostname.replace(/[[\]]/g, '');
    const problem = net.isIP(host) === 0 ? undefined : problemWithAddress(host, this.#receiverAddresses);
    const destination = { url, problem };
    if (this.#destinations.size === mostDestinations) this.#destinations.clear();
    this.#destinations.set(text, destination);
    return destination;
  }

  #checkedLookup(dns: NodeHttp['dns']): LookupFunction {
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

/** Makes one attempt that a signal can cancel. */
export async function sendUntil(
  signal: AbortSignal,
  sender: Sender,
  attempt: OutgoingAttempt,
): Promise<AttemptResult> {
  const cancellation = new Cancellation();
  const cancel = () => cancellation.cancel(signal.reason);
  const leave = onAbort(signal, cancel);
  if (signal.aborted) cancel();
  return sender.send(attempt, cancellation).finally(leave);
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

/** Sends one request and reads the response, by events, because promises and iterators for each step take several times as long. */
function exchange(
  request: ClientRequest,
  body: Uint8Array,
  cancellation: Cancellation,
): Promise<AttemptResult> {
  return new Promise((resolve) => {
    let received: ArrivingResponse | undefined;
    let isOver = false;
    const end = (result: () => AttemptResult) => {
      if (isOver) return;
      isOver = true;
      resolve(result());
    };
    const fail = (reason: string) =>
      end(() => {
        const where = received === undefined ? 'no response' : 'response interrupted';
        const error =
          cancellation.reason === undefined ? `${where}: ${reason}` : describe(cancellation.reason);
        return received?.brokenOff(error) ?? { error };
      });

    // A request may close before its response has been read. Then the response says how it ends.
    const failWithoutResponse = (reason: string) => {
      if (received === undefined) fail(reason);
    };
    // Keep the listeners of errors: one after the end must not end the process.
    request.on('error', (error) => failWithoutResponse(describe(error)));
    request.once('close', () => failWithoutResponse('the connection was closed'));
    request.once('response', (response) => {
      const begun = responseOf(response);
      received = begun;
      response.on('data', (chunk: Uint8Array) => {
        if (begun.add(chunk)) return;
        end(() => begun.result());
        response.destroy(); // the rest of a longer body
      });
      response.once('end', () => {
        begun.end();
        end(() => begun.result());
      });
      response.on('error', (error) => fail(describe(error)));
      response.once('close', () => fail('the connection was closed'));
    });
    // What follows a 101 is another protocol.
    request.once('upgrade', (response, socket) => {
      end(() => responseOf(response).result());
      socket.destroy();
    });
    cancellation.onCancel = () => {
      fail('');
      request.destroy();
    };
    // Node sends a latin1 string in one piece with the head. Latin1 keeps every byte.
    request.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1');
  });
}

function responseOf({ statusCode = 0, rawHeaders }: IncomingMessage): ArrivingResponse {
  return new ArrivingResponse(statusCode, pairsOf(rawHeaders));
}

/** Names and values, which Node lists one after the other. */
function* pairsOf(raw: readonly string[]): Iterable<readonly [name: string, value: string]> {
  for (let index = 0; index < raw.length; index += 2) yield [raw[index] ?? '', raw[index + 1] ?? ''];
}
