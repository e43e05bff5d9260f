import { deliveryKey } from './delivery-key.js';
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
  readonly #nameOf: (context: HandlerContext<Request>) => string;
  #name: string | undefined;
  #isComputingName = false;
  #controller: AbortController | undefined;
  /** Whether the receiver gave up the delivery, so that no further handler starts. */
  isGivenUp = false;

  constructor(
    { request, rawBody, secretIndex }: Pick<WebhookContext<Request>, 'request' | 'rawBody' | 'secretIndex'>,
    nameOf: (context: HandlerContext<Request>) => string,
    waits: TimedWaits,
    respondBy: number,
  ) {
    this.request = request;
    this.rawBody = rawBody;
    this.secretIndex = secretIndex;
    this.#nameOf = nameOf;
    this.#waits = waits;
    this.#respondBy = respondBy;
  }

  get key(): string {
    return deliveryKey(this.nameInStore);
  }

  /** Computed at the first use, because it takes a hash, and a receiver without a dedupe store needs none. */
  get nameInStore(): string {
    if (this.#name !== undefined) return this.#name;
    if (this.#isComputingName)
      throw new TypeError('dedupeKey reads context.key, which it computes. Use the event.');
    this.#isComputingName = true;
    try {
      this.#name = this.#nameOf(this);
      return this.#name;
    } finally {
      this.#isComputingName = false;
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
