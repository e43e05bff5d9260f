import type { WebhookEvent } from '../../contract/delivery.js';

/**
 * How long `drain` waits.
 */
export interface DrainOptions {
  /**
   * How many milliseconds to wait for the work under way. Default: 8,000, for Docker kills a process ten seconds after
   * SIGTERM; Kubernetes gives thirty.
   */
  readonly timeout?: number | undefined;
}

/**
 * A delivery that was not finished when the time to drain a receiver was up. Holds the delivery, which is personal data.
 *
 * @typeParam Request - The framework's own request.
 */
export interface UnfinishedDelivery<Request = unknown> {
  /** What the receiver was doing: reading the body, waiting for the secret, claiming, or running the handlers. */
  readonly step: 'reading' | 'verifying' | 'claiming' | 'handling';
  /** The event, once it is verified. */
  readonly event: WebhookEvent | undefined;
  /** The framework's own request. */
  readonly request: Request;
}
