import { once } from 'node:events';
import { createServer } from 'node:http';

/** A POST as it reached the endpoint. */
export interface ReceivedPost {
  readonly path: string;
  readonly body: string;
  readonly signature: string;
}

/** A receiver of deliveries that refuses, holds or acknowledges what comes to a path. */
export class Endpoint {
  readonly posts: ReceivedPost[] = [];
  readonly #behaviours = new Map<string, 'refuse' | 'hold'>();
  readonly #server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray().catch(() => [])).toString();
    const path = request.url ?? '';
    this.posts.push({ path, body, signature: String(request.headers['x-service-signature']) });
    const behaviour = this.#behaviours.get(path);
    if (behaviour !== 'hold') response.writeHead(behaviour === 'refuse' ? 500 : 204).end();
  });
  #origin = '';

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.#origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  urlOf(path: string): string {
    return this.#origin + path;
  }

  /** From now on, refuses the deliveries to a path, or never responds to them. */
  behave(path: string, behaviour: 'refuse' | 'hold'): void {
    this.#behaviours.set(path, behaviour);
  }

  /** From now on, acknowledges every delivery. */
  acknowledgeAll(): void {
    this.#behaviours.clear();
  }

  postsTo(path: string): readonly ReceivedPost[] {
    return this.posts.filter((post) => post.path === path);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}
