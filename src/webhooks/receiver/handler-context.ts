import type { WebhookContext } from './receiver-options.js';
import type { TimedWaits } from './waits.js';

/** A class, because creating an object with its own getters for each delivery takes as long as parsing the delivery. */
export class HandlerContext<Request> implements WebhookContext<Request> {
  readonly request: Request;
  readonly rawBody: Uint8Array;
  readonly secretIndex: number;
  isLate = false;
  readonly #waits: TimedWaits;
  /** By the steady time of the clock. `Infinity` if the sender has its response, or waits for none. */
  #respondBy: number;
  readonly #keyOf: (context: HandlerContext<Request>) => string;
  #key: string | undefined;
  #isComputingKey = false;
  #controller: AbortController | undefined;
  /** Whether the receiver gave up the delivery, so that no further handler starts. */
  isGivenUp = false;

  constructor(
    { request, rawBody, secretIndex }: Pick<WebhookContext<Request>, 'request' | 'rawBody' | 'secretIndex'>,
    keyOf: (context: HandlerContext<Request>) => string,
    waits: TimedWaits,
    respondBy: number,
  ) {
    this.request = request;
    this.rawBody = rawBody;
    this.secretIndex = secretIndex;
    this.#keyOf = keyOf;
    this.#waits = waits;
    this.#respondBy = respondBy;
  }

  /** Computed at the first use, because it takes a hash, and a receiver without a dedupe store needs none. */
  get key(): string {
    if (this.#key !== undefined) return this.#key;
    if (this.#isComputingKey)
      throw new TypeError('dedupeKey reads context.key, which it computes. Use the event.');
    this.#isComputingKey = true;
    try {
      this.#key = this.#keyOf(this);
      return this.#key;
    } finally {
      this.#isComputingKey = false;
    }
  }

  get remaining(): number {
    return Math.max(0, this.#respondBy - this.#waits.now());
  }

  /** Created at the first use, because few handlers need it and it is the most expensive part. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Says that the sender has its response, so that the handlers have no deadline. */
  haveNoDeadline(): void {
    this.#respondBy = Number.POSITIVE_INFINITY;
  }

  /** Aborts the signal. */
  abort(): void {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }
}
