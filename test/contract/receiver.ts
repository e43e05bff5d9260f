/** A request that reached the receiver, its body as the very bytes that came. */
export interface Delivery {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** How the receiver meets a delivery: with a status, or by letting the connection fail or hang. */
export type PlannedResponse = number | 'drop the connection' | 'never respond';

/** A subscriber's endpoint: keeps what it gets, and fails when told to. How requests reach it is the environment's matter. */
export class Receiver {
  readonly #origin: string;
  /** Everything that came, in order. */
  readonly deliveries: Delivery[] = [];
  readonly #responses: PlannedResponse[] = [];
  readonly #arrivals = new Set<() => void>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Where a subscription sends to. */
  get url(): string {
    return `${this.#origin}/hooks`;
  }

  /** Where the receiver's redirects point. */
  get elsewhere(): string {
    return `${this.#origin}/elsewhere`;
  }

  /** Says how to meet the next deliveries, in turn; after them, each gets 200. */
  respondWith(...responses: readonly PlannedResponse[]): void {
    this.#responses.push(...responses);
  }

  /** Resolves when this many deliveries have come, without waiting for their responses. */
  arrived(count: number): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.deliveries.length < count) return;
        this.#arrivals.delete(check);
        resolve();
      };
      this.#arrivals.add(check);
      check();
    });
  }

  /** Takes a delivery in, and says how to meet it. */
  take(delivery: Delivery): PlannedResponse {
    this.deliveries.push(delivery);
    for (const check of this.#arrivals) check();
    return this.#responses.shift() ?? 200;
  }
}

/** Delivers by a call of a function. */
export async function deliver(receiver: Receiver, request: Request): Promise<Response> {
  const body = new Uint8Array(await request.arrayBuffer());
  const { pathname: path } = new URL(request.url);
  const response = receiver.take({ method: request.method, path, headers: request.headers, body });
  if (response === 'drop the connection') throw new TypeError('The connection was dropped.');
  if (response === 'never respond') return givenUp(request.signal);
  return new Response(null, { status: response, headers: { Location: receiver.elsewhere } });
}

function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
