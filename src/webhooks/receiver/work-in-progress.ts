import type { WebhookEvent } from '../../contract/delivery.js';
import { ReceiverError } from './errors.js';
import type { TimedWaits } from './waits.js';

/**
 * Options of `drain`.
 */
export type DrainOptions = {
  /**
   * The longest wait for work in progress, in milliseconds. Default: 8,000, because Docker kills a process ten seconds after SIGTERM,
   * and Kubernetes after thirty.
   */
  readonly timeout?: number | undefined;
};

/**
 * A delivery that was not done at the timeout of `drain`. It contains the delivery, which is personal data.
 *
 * @typeParam Request - The framework's own request.
 */
export type UnfinishedDelivery<Request = unknown> = {
  /**
   * What the receiver was doing: reading the body, waiting for the secret, claiming, waiting for the turn of the delivery (with
   * `inOrder`), running the handlers, or waiting until the response is written.
   */
  readonly step: 'reading' | 'verifying' | 'claiming' | 'waiting' | 'handling' | 'responding';
  /** The event. `undefined` before it is verified. */
  readonly event: WebhookEvent | undefined;
  /** The framework's own request. */
  readonly request: Request;
};

/** The steps of a delivery, by the names that `drain` returns. */
export type DeliveryStep = Exclude<UnfinishedDelivery['step'], 'responding'>;

/** What `drain` needs to know of a delivery, and to tell it. */
export interface DeliveryInProgress<Request> {
  readonly step: DeliveryStep;
  readonly hasResponse: boolean;
  readonly event: WebhookEvent | undefined;
  readonly request: Request;
  /** Called when the process is to end: a delivery that waits for its turn, and has its response, goes to another process. */
  giveUpWaiting(): void;
}

/** The deliveries in progress in a receiver. */
export class WorkInProgress<Request> {
  /** The deliveries whose response is not written. */
  readonly #open = new Set<DeliveryInProgress<Request>>();
  /** The deliveries that are being claimed or handled, some of which already have a response. */
  readonly #handled = new Set<DeliveryInProgress<Request>>();
  readonly #whenIdle = new Set<() => void>();

  beginResponding(delivery: DeliveryInProgress<Request>): void {
    this.#open.add(delivery);
  }

  endResponding(delivery: DeliveryInProgress<Request>): void {
    this.#open.delete(delivery);
    this.#notifyIdle();
  }

  /** @throws ReceiverError if the limit is reached. */
  beginHandling(delivery: DeliveryInProgress<Request>, limit: number): void {
    if (this.#handled.size >= limit) {
      throw new ReceiverError(
        'overloaded',
        `A delivery got 503, because ${limit} others are being handled. If this process can take more, raise ` +
          'maxConcurrent; if not, let the handlers do less, or run more processes.',
      );
    }
    this.#handled.add(delivery);
  }

  endHandling(delivery: DeliveryInProgress<Request>): void {
    this.#handled.delete(delivery);
    this.#notifyIdle();
  }

  /** Lets no delivery wait for its turn whose sender has its response: another process handles it. */
  giveUpWaiting(): void {
    for (const delivery of this.#handled) delivery.giveUpWaiting();
  }

  /** Waits until no work is in progress, or for the timeout in milliseconds. Returns the unfinished deliveries. */
  async settle(waits: TimedWaits, timeout: number): Promise<readonly UnfinishedDelivery<Request>[]> {
    if (!this.#isIdle()) {
      const idle = new Promise<void>((resolve) => this.#whenIdle.add(resolve));
      await waits.pause(timeout, idle);
    }
    return [...new Set([...this.#open, ...this.#handled])].map((delivery) => {
      // If the delivery has its response, the remaining work is that of the handlers, or the end of its claim, or the response is not written.
      const left = this.#handled.has(delivery) ? 'handling' : 'responding';
      const step = delivery.hasResponse ? left : delivery.step;
      return { step, event: delivery.event, request: delivery.request };
    });
  }

  #isIdle(): boolean {
    return this.#open.size === 0 && this.#handled.size === 0;
  }

  #notifyIdle(): void {
    if (this.#isIdle()) for (const end of this.#whenIdle) end();
  }
}
