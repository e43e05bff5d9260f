import type { WebhookEvent } from '../../contract/delivery.js';

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
export interface UnfinishedDelivery<Request = unknown> {
  /**
   * What the receiver was doing: reading the body, waiting for the secret, claiming, running the handlers, or waiting until the answer
   * is written.
   */
  readonly step: 'reading' | 'verifying' | 'claiming' | 'handling' | 'answering';
  /** The event. `undefined` before it is verified. */
  readonly event: WebhookEvent | undefined;
  /** The framework's own request. */
  readonly request: Request;
}
