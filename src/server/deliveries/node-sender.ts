import type { LookupAddress } from 'node:dns';
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { signatureHeader } from '../../contract/delivery.js';
import type { Clock } from '../../foundation/clock.js';
import { answerLimit } from '../model/delivery.js';
import { problemWithAddress, type ReceiverAddresses } from '../service/address-policy.js';
import { type Answered, followingRedirects } from './redirects.js';
import {
  type AnswerHead,
  type Attempt,
  type AttemptResult,
  closed,
  describe,
  headOf,
  resultOf,
  type Sender,
  timed,
} from './sender.js';

/** The modules of Node that send. The first attempt loads them. */
interface NodeHttp {
  readonly http: typeof import('node:http');
  readonly https: typeof import('node:https');
  readonly dns: typeof import('node:dns');
  readonly net: typeof import('node:net');
}

export interface NodeSenderOptions {
  /** The machine's clock, for the timeout. */
  readonly clock: Clock;
  /** The timeout of an attempt, from the DNS lookup to the end of the response. In milliseconds. */
  readonly timeout: number;
  readonly receiverAddresses: ReceiverAddresses;
}

/**
 * Sends with Node's HTTP. It checks the address that a name resolves to, and connects to that exact address. It reuses
 * connections.
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
    const startedAt = clock.now();
    const endsAt = startedAt + timeout;
    const result = await followingRedirects(attempt, receiverAddresses, async (request) => {
      if (this.#closed) return { result: { error: closed().message } };
      const url = new URL(request.url);
      const problem = this.#problemWithLiteral(node, url.hostname);
      if (problem !== undefined) return { result: { error: `the receiver's address ${problem}` } };
      return this.#exchange(this.#request(node, url, request), request.body, endsAt);
    });
    return timed(result, startedAt, clock.now());
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

  /** Sends one request and reads the response. Fails at the timeout, at any stage. */
  async #exchange(request: ClientRequest, body: Uint8Array, endsAt: number): Promise<Answered> {
    const { clock, timeout } = this.#options;
    this.#underWay.add(request);
    // A destroyed request does not always emit the error that was passed to `destroy`.
    let reason: Error | undefined;
    const cancelTimer = clock.setTimer(
      () => {
        reason = new Error(`no complete answer within ${timeout / 1000} s`);
        request.destroy(reason);
      },
      Math.max(0, endsAt - clock.now()),
    );
    let head: AnswerHead | undefined;
    try {
      // Node sends a latin1 string in one piece with the head. Latin1 keeps every byte.
      request.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1');
      const response = await answerTo(request);
      const { statusCode: status = 0, headers } = response;
      head = headOf(status, headers.date);
      return { result: resultOf(head, await readBeginning(response)), location: headers.location };
    } catch (error) {
      if (reason === undefined && this.#closed) reason = closed();
      const where = head === undefined ? 'no answer came' : 'the answer broke off';
      const message = reason?.message ?? `${where}: ${describe(error)}`;
      return { result: { ...head, error: message } };
    } finally {
      cancelTimer();
      this.#underWay.delete(request);
    }
  }

  /** Checks a URL whose host is an address, because Node does not call `lookup` for it. */
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
  // Use the default exports: interceptors such as MSW replace their members.
  return { http: http.default, https: https.default, dns: dns.default, net: net.default };
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // Keep this listener: an error after the response began must not end the process.
    request.on('error', reject);
  });
}

/** Reads the response up to the limit and cancels the rest. */
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
