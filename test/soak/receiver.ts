import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Post } from './accounting/posts.js';
import { acknowledgedShares } from './scenario.js';

type Refusal = (response: ServerResponse) => void;

const fail: Refusal = (response) => response.writeHead(500).end();
const redirect: Refusal = (response) => response.writeHead(302, { Location: '/elsewhere' }).end();
const reset: Refusal = (response) => response.socket?.resetAndDestroy();
const neverRespond: Refusal = () => {};
const breakOff: Refusal = (response) => {
  response.writeHead(200, { 'Content-Length': 100 }).write('{"ok"');
  setTimeout(() => response.destroy(), 5);
};
/** What it does with a POST that it does not acknowledge, by weight. */
const weights: readonly (readonly [weight: number, Refusal])[] = [
  [25, fail],
  [10, redirect],
  [12, reset],
  [12, breakOff],
  [1, neverRespond],
];
const refusals = weights.flatMap(([weight, refusal]) => Array.from({ length: weight }, () => refusal));

/**
 * The receiver of all deliveries. The first part of the path says which share it acknowledges. It records every POST, and
 * always acknowledges what it acknowledged once, as a receiver does that knows what it has processed.
 */
export class Receiver {
  posts: Post[] = [];
  readonly #seed: number;
  readonly #slowResponse: number;
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  /** How often the same bytes came to the same path. */
  readonly #seen = new Map<string, number>();
  readonly #processed = new Set<string>();
  /** The connections that had a response before. */
  readonly #kept = new WeakSet<Socket>();
  #port = 0;

  /** @param slowResponse - How long every eighth acknowledgement takes, in milliseconds. */
  constructor(seed: number, slowResponse = 40) {
    this.#seed = seed;
    this.#slowResponse = slowResponse;
    this.#server.keepAliveTimeout = 60_000;
  }

  /** Listens, on the same port as before. */
  async start(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The receiver has no port.');
    this.#port = address.port;
  }

  /** A URL that no other subscription has. */
  urlOf(share: number, token: string): string {
    return `http://127.0.0.1:${this.#port}/${share}/${token}`;
  }

  /** Cuts all connections, and refuses others. */
  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** Forgets what it received. */
  clear(): void {
    this.posts = [];
    this.#seen.clear();
    this.#processed.clear();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await request.toArray().catch(() => undefined);
    if (chunks === undefined) return; // The sender is gone: nothing was received.
    const digest = createHash('sha256').update(Buffer.concat(chunks)).digest('hex');
    const path = request.url ?? '';
    const bytes = `${path} ${digest}`;
    const time = (this.#seen.get(bytes) ?? 0) + 1;
    this.#seen.set(bytes, time);
    const drawn = createHash('sha256').update(`${this.#seed} ${bytes} ${time}`).digest();
    const share = acknowledgedShares[Number(path.split('/')[1])] ?? 0;
    const acknowledges = this.#processed.has(bytes) || drawn.readUInt32BE(0) / 2 ** 32 < share;
    const post: { -readonly [Name in keyof Post]: Post[Name] } = {
      at: Date.now(),
      until: undefined,
      path,
      signature: String(request.headers['x-service-signature']),
      digest,
      replica: Number(request.headers['x-soak-replica'] ?? 0),
      acknowledged: false,
      cut: false,
    };
    this.posts.push(post);
    const { socket } = request;
    const isKept = this.#kept.has(socket);
    response.once('close', () => {
      post.until = Date.now();
      post.cut = isKept && !response.headersSent;
    });
    response.once('finish', () => this.#kept.add(socket));
    if (!acknowledges) {
      refusals[drawn.readUInt32BE(4) % refusals.length]?.(response);
      return;
    }
    response.once('finish', () => {
      post.until = Date.now();
      post.acknowledged = true;
      this.#processed.add(bytes);
    });
    const slowly = drawn.readUInt32BE(4) % 8 === 0;
    setTimeout(() => response.writeHead(204).end(), slowly ? this.#slowResponse : 0);
  }
}
