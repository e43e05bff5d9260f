/** What a delivery looks like on the wire. */
export interface WireDelivery {
  readonly url: URL;
  readonly bytes: Uint8Array;
  /** By the names as they are sent. */
  readonly headers: Readonly<Record<string, string>>;
}

type Listener = (chunk: Uint8Array) => void;

/**
 * A delivery in the shape of the request that `node:http` hands to a server, for calling a handler without a socket:
 * the body can be read once, by its events or by `for await`. It is made without Node, and is no `IncomingMessage`.
 *
 * @example
 * ```ts
 * import { signTestDelivery, type TestNodeRequest } from 'messaging-automation/webhooks';
 *
 * const request: TestNodeRequest = signTestDelivery({ secret: 'whsec_example' }).toNodeRequest();
 * for await (const chunk of request) console.log(chunk.byteLength);
 * ```
 */
export class TestNodeRequest implements AsyncIterable<Uint8Array> {
  readonly method: string = 'POST';
  /** The path and the query. */
  readonly url: string;
  /** By their names in lowercase, as Node has them. */
  readonly headers: Readonly<Record<string, string>>;
  /** True: the whole of it has arrived. */
  readonly complete: boolean = true;
  readonly readableEncoding: string | null = null;

  readonly #bytes: Uint8Array;
  readonly #listeners = new Map<string, Listener[]>();
  #state: 'untouched' | 'flowing' | 'paused' | 'ended' = 'untouched';

  /** @internal */
  constructor({ url, bytes, headers }: WireDelivery) {
    this.url = url.pathname + url.search;
    this.headers = lowercaseNames({ host: url.host, ...headers, 'content-length': String(bytes.byteLength) });
    this.#bytes = bytes;
  }

  /** Whether there is more to read. */
  get readable(): boolean {
    return this.#state !== 'ended';
  }

  /** Whether the body was read. */
  get readableEnded(): boolean {
    return this.#state === 'ended';
  }

  /** Whether somebody has begun to read the body. */
  get readableDidRead(): boolean {
    return this.#state !== 'untouched';
  }

  /** Whether it is over: a request of this kind never breaks off. */
  get destroyed(): boolean {
    return this.#state === 'ended';
  }

  /** Listens to an event; the first listener for `data` makes the body flow, in the next microtask. */
  on(event: string, listener: Listener): this {
    this.#listeners.set(event, [...this.#listenersOf(event), listener]);
    if (event === 'data' && this.#state === 'untouched') this.resume();
    return this;
  }

  /** Listens no more. */
  removeListener(event: string, listener: Listener): this {
    this.#listeners.set(
      event,
      this.#listenersOf(event).filter((other) => other !== listener),
    );
    return this;
  }

  /** Holds what has not flowed yet. */
  pause(): this {
    if (this.#state !== 'ended') this.#state = 'paused';
    return this;
  }

  /** Lets the body flow. */
  resume(): this {
    if (this.#state === 'ended') return this;
    this.#state = 'flowing';
    queueMicrotask(() => this.#flow());
    return this;
  }

  /** The body's bytes, in one chunk; nothing once they were read. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    yield this.#bytes;
  }

  #flow(): void {
    if (this.#state !== 'flowing') return;
    this.#state = 'ended';
    for (const event of ['data', 'end', 'close']) {
      for (const listener of this.#listenersOf(event)) listener(this.#bytes);
    }
  }

  #listenersOf(event: string): readonly Listener[] {
    return this.#listeners.get(event) ?? [];
  }
}

/** Headers as Node, Lambda's format 2.0 and load balancers name them. */
export function lowercaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
