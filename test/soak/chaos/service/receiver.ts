import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { receiverManners } from '../../scenario.js';
import type { Post } from '../accounting/posts.js';

type Manner = (response: ServerResponse) => void;

const fail: Manner = (response) => response.writeHead(500).end();
const redirect: Manner = (response) => response.writeHead(302, { Location: '/elsewhere' }).end();
const reset: Manner = (response) => response.socket?.resetAndDestroy();
const neverAnswer: Manner = () => {};
const breakOff: Manner = (response) => {
  response.writeHead(200, { 'Content-Length': 100 }).write('{"ok"');
  setTimeout(() => response.destroy(), 5);
};
/** What it does with a POST that it does not acknowledge, by weight. */
const refusals: readonly (readonly [weight: number, Manner])[] = [
  [25, fail],
  [10, redirect],
  [12, reset],
  [12, breakOff],
  [1, neverAnswer],
];
/** One for each unit of weight. */
const manners = refusals.flatMap(([weight, manner]) => Array.from({ length: weight }, () => manner));

/**
 * The receivers of all deliveries: one server, and by the first part of the path manners of different kinds. It writes down
 * every POST. What it has acknowledged once it acknowledges always, as a receiver does that knows what it has processed.
 */
export class Receiver {
  readonly posts: Post[] = [];
  readonly #seed: number;
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  /** How often the same bytes came to the same path. */
  readonly #seen = new Map<string, number>();
  readonly #processed = new Set<string>();
  #port = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#server.keepAliveTimeout = 60_000;
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The receiver has no port.');
    this.#port = address.port;
  }

  /** A URL of one of its manners that no other subscription has. */
  urlOf(manner: number, token: string): string {
    return `http://127.0.0.1:${this.#port}/${manner}/${token}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // Whoever sent it is gone: nothing was received.
      return;
    }
    const digest = createHash('sha256').update(Buffer.concat(chunks)).digest('hex');
    const path = request.url ?? '';
    const bytes = `${path} ${digest}`;
    const time = (this.#seen.get(bytes) ?? 0) + 1;
    this.#seen.set(bytes, time);
    const drawn = createHash('sha256').update(`${this.#seed} ${bytes} ${time}`).digest();
    const share = receiverManners[Number(path.split('/')[1])] ?? 0;
    const acknowledges = this.#processed.has(bytes) || drawn.readUInt32BE(0) / 2 ** 32 < share;
    const post: Writable<Post> = {
      at: Date.now(),
      until: undefined,
      path,
      signature: String(request.headers['x-service-signature']),
      digest,
      replica: Number(request.headers['x-soak-replica'] ?? -1),
      acknowledged: false,
    };
    this.posts.push(post);
    response.once('close', () => {
      post.until = Date.now();
    });
    if (!acknowledges) {
      manners[drawn.readUInt32BE(4) % manners.length]?.(response);
      return;
    }
    response.once('finish', () => {
      post.until = Date.now();
      post.acknowledged = true;
      this.#processed.add(bytes);
    });
    const slowly = drawn.readUInt32BE(4) % 8 === 0;
    setTimeout(() => response.writeHead(204).end(), slowly ? 40 : 0);
  }
}

type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };
