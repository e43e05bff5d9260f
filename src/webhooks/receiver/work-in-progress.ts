import type { WebhookEvent } from '../../contract/delivery.js';
import { atMost, type Clock } from '../../foundation/clock.js';
import type { Delivery } from './delivery.js';
import { ReceiverError } from './errors.js';

/**
 * Options of `drain`.
 */
export interface DrainOptions {
  /**
   * The longest wait for work in progress, in milliseconds. Default: 8,000, because Docker kills a process ten seconds after SIGTERM,
   * and Kubernetes after thirty.
   */
  readonly timeout?: number | undefined;
}

/**
 * A delivery that was not done at the timeout of `drain`. It contains the delivery, which is personal data.
 *
 * @typeParam Request - The framework's own request.
 */
export type UnfinishedDelivery<Request = unknown> = {
  /**
   * What the receiver was doing: reading the body, waiting for the secret, claiming, running the handlers, or waiting until the response
   * is written.
   */
  readonly step: 'reading' | 'verifying' | 'claiming' | 'handling' | 'responding';
  /** The event. `undefined` before it is verified. */
  readonly event: WebhookEvent | undefined;
  /** The framework's own request. */
  readonly request: Request;
};

/** The deliveries in progress in a receiver. */
export class WorkInProgress<Request> {
  /** The deliveries whose response is not written. */
  readonly #open = new Set<Delivery<Request>>();
  /**
   * The deliveries that are being claimed or handled, some of which already have a response. Each with what cancels the
   * timer that ends it, if it has one.
   */
  readonly #handled = new Map<Delivery<Request>, (() => void) | undefined>();
  readonly #whenIdle = new Set<() => void>();

  beginResponding(delivery: Delivery<Request>): void {
    this.#open.add(delivery);
  }

  endResponding(delivery: Delivery<Request>): void {
    this.#open.delete(delivery);
    this.#notifyIdle();
  }

  /** @throws ReceiverError if the limit is reached. */
  beginHandling(delivery: Delivery<Request>, limit: number): void {
    if (this.#handled.size >= limit) {
      throw new ReceiverError(
        'overloaded',
        `A delivery got 503, because ${limit} others are being handled. If this process can take more, raise ` +
          'maxConcurrent; if not, let the handlers do less, or run more processes.',
      );
    }
    this.#handled.set(delivery, undefined);
  }

  /** Keeps the place of a delivery whose claim is late until `endHandling`, at most for the given milliseconds. */
  endHandlingWithin(delivery: Delivery<Request>, clock: Clock, milliseconds: number): void {
    this.#handled.set(
      delivery,
      clock.setTimer(() => this.endHandling(delivery), milliseconds),
    );
  }

  /** Keeps the place of a delivery whose claim came late without a limit. Returns false if it has lost it. */
  keepHandling(delivery: Delivery<Request>): boolean {
    if (!this.#handled.has(delivery)) return false;
    this.#handled.get(delivery)?.();
    this.#handled.set(delivery, undefined);
    return true;
  }

  endHandling(delivery: Delivery<Request>): void {
    this.#handled.get(delivery)?.();
    this.#handled.delete(delivery);
    this.#notifyIdle();
  }

  /** Waits until no work is in progress, or for the timeout in milliseconds. Returns the unfinished deliveries. */
  async settle(clock: Clock, timeout: number): Promise<readonly UnfinishedDelivery<Request>[]> {
    if (!this.#isIdle()) {
      const idle = new Promise<void>((resolve) => this.#whenIdle.add(resolve));
      await atMost(clock, timeout, idle, () => {});
    }
    return [...new Set([...this.#open, ...this.#handled.keys()])].map((delivery) => {
      const { verified, received } = delivery;
      // If the delivery has its response, the remaining work is that of the handlers, or the end of its claim, or the response is not written.
      const left = this.#handled.has(delivery) ? 'handling' : 'responding';
      const step = delivery.hasResponse ? left : delivery.step;
      return { step, event: verified?.event, request: received.request };
    });
  }

  #isIdle(): boolean {
    return this.#open.size === 0 && this.#handled.size === 0;
  }

  #notifyIdle(): void {
    if (this.#isIdle()) for (const end of this.#whenIdle) end();
  }
}
