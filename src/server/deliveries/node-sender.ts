import type { LookupAddress } from 'node:dns';
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { signatureHeader } from '../../contract/delivery.js';
import type { Clock } from '../../foundation/clock.js';
import { problemWithAddress, type ReceiverAddresses } from '../service/address-policy.js';
import { type Answered, followingRedirects } from './redirects.js';
import {
  type Attempt,
  type AttemptResult,
  answerLimit,
  closed,
  describe,
  resultOf,
  type Sender,
} from './sender.js';

/** The parts of Node that it sends with; loaded when the first attempt is made. */
interface NodeHttp {
  readonly http: typeof import('node:http');
  readonly https: typeof import('node:https');
  readonly dns: typeof import('node:dns');
  readonly net: typeof import('node:net');
}

export interface NodeSenderOptions {
  /** The machine's clock: it bounds a real exchange. */
  readonly clock: Clock;
  /** Milliseconds for an attempt, from the lookup of the name to the end of the answer. */
  readonly timeout: number;
  readonly receiverAddresses: ReceiverAddresses;
}

/**
 * Sends over Node's own HTTP: §6 and §8. The address that a name stands for is checked as the connection is made, and the
 * connection goes to the address that was checked. Connections are kept for the next attempt.
 */
export class NodeSender implements Sender {
  readonly #options: NodeSenderOptions;
  readonly #underWay = new Set<ClientRequest>();
  #node: Promise<NodeHttp> | undefined;
  #agents: { readonly http: Agent; readonly https: Agent } | undefined;
  #closed = false;

  constructor(options: NodeSenderOptions) {
    this.#options = options;
  }

  async send(attempt: Attempt): Promise<AttemptResult> {
    this.#node ??= loadNode();
    const node = await this.#node;
    const { clock, timeout, receiverAddresses } = this.#options;
    const endsAt = clock.now() + timeout;
    return followingRedirects(attempt, receiverAddresses, async (request) => {
      if (this.#closed) return { result: { error: closed().message } };
      const url = new URL(request.url);
      const problem = this.#problemWithLiteral(node, url.hostname);
      if (problem !== undefined) return { result: { error: `the receiver's address ${problem}` } };
      return this.#exchange(this.#request(node, url, request), request.body, endsAt);
    });
  }

  close(): void {
    this.#closed = true;
    for (const request of this.#underWay) request.destroy(closed());
    this.#agents?.http.destroy();
    this.#agents?.https.destroy();
  }

  #request(node: NodeHttp, url: URL, { body, signature }: Attempt): ClientRequest {
    const secure = url.protocol === 'https:';
    this.#agents ??= {
      http: new node.http.Agent({ keepAlive: true }),
      https: new node.https.Agent({ keepAlive: true }),
    };
    const options: RequestOptions = {
      method: 'POST',
      agent: secure ? this.#agents.https : this.#agents.http,
      lookup: this.#checkedLookup(node),
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': body.byteLength,
        [signatureHeader]: signature,
      },
    };
    return secure ? node.https.request(url, options) : node.http.request(url, options);
  }

  /** The exchange of one request. Its time is over when the timer says so, whatever was reached by then. */
  async #exchange(request: ClientRequest, body: Uint8Array, endsAt: number): Promise<Answered> {
    const { clock, timeout } = this.#options;
    this.#underWay.add(request);
    // What destroys a request with an error is told of an error that does not always say why.
    let reason: Error | undefined;
    const cancelTimer = clock.setTimer(
      () => {
        reason = new Error(`no complete answer within ${timeout / 1000} s`);
        request.destroy(reason);
      },
      Math.max(0, endsAt - clock.now()),
    );
    let status: number | undefined;
    try {
      // As text of one byte a character the body goes out in one piece with the head, and is not changed by that.
      request.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1');
      const response = await answerTo(request);
      status = response.statusCode ?? 0;
      const result = resultOf(status, await readBeginning(response));
      return { result, location: response.headers.location };
    } catch (error) {
      if (reason === undefined && this.#closed) reason = closed();
      const where = status === undefined ? 'no answer came' : 'the answer broke off';
      const message = reason?.message ?? `${where}: ${describe(error)}`;
      return { result: { ...(status !== undefined && { status }), error: message } };
    } finally {
      cancelTimer();
      this.#underWay.delete(request);
    }
  }

  /** Node looks no name up that is an address already. */
  #problemWithLiteral({ net }: NodeHttp, hostname: string): string | undefined {
    const address = hostname.replace(/[[\]]/g, '');
    return net.isIP(address) === 0 ? undefined : problemWithAddress(address, this.#options.receiverAddresses);
  }

  #checkedLookup({ dns }: NodeHttp): LookupFunction {
    return (hostname, options, callback) => {
      dns.lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, []);
        const addresses: readonly LookupAddress[] = found;
        const problem = addresses
          .map(({ address }) => problemWithAddress(address, this.#options.receiverAddresses))
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
  // The modules themselves and not their names, for who intercepts requests (MSW, for one) replaces what they hold.
  return { http: http.default, https: https.default, dns: dns.default, net: net.default };
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // For good: an error after the answer has begun is the answer's, and must not end the process.
    request.on('error', reject);
  });
}

/** Reads the answer up to the limit and gives up the rest. */
async function readBeginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= answerLimit) break;
  }
  return Buffer.concat(chunks).subarray(0, answerLimit).toString();
}
