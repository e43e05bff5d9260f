import type { WebhookEvent } from '../../contract/delivery.js';
import { notify } from '../../foundation/listeners.js';
import { WebhookVerificationError } from '../verification/verification-error.js';
import type { ReceivedRequest } from './exchange.js';
import type { DuplicateDelivery, ReceiverFailure, RefusalError, WebhookContext } from './receiver-options.js';
import { createRefusalWarnings, type SignatureMismatch } from './refusal-warnings.js';
import type { ReceiverSettings } from './settings.js';

/** Calls the hooks of a receiver: each tells of one thing that happened. What they throw changes nothing. */
export class Hooks<Request> {
  readonly #settings: ReceiverSettings<Request>;
  readonly #warnOfRefusal: ReturnType<typeof createRefusalWarnings>;

  constructor(settings: ReceiverSettings<Request>) {
    this.#settings = settings;
    this.#warnOfRefusal = createRefusalWarnings(settings.clock);
  }

  /** Something failed on the receiver's side. */
  failed(error: unknown, failure: ReceiverFailure<Request>): void {
    notify(() => this.#settings.onError(error, failure));
  }

  /**
   * A request was refused. Adds advice to a signature that does not match if the body arrived as text, because decoding may have changed
   * the signed bytes. A forged signature looks the same, so the response does not change.
   */
  refused(
    error: RefusalError,
    received: ReceivedRequest<Request>,
    mismatch: SignatureMismatch | undefined,
  ): void {
    const { onRefused } = this.#settings;
    const isMismatch = error.reason === 'signature_mismatch';
    const advice = isMismatch ? received.adviceOnDecodedBody?.() : undefined;
    if (onRefused === undefined) {
      this.#warnOfRefusal(error, isMismatch ? mismatch : undefined, advice);
      return;
    }
    const message = `${error.message} ${advice}`;
    const advised =
      advice === undefined ? error : new WebhookVerificationError('signature_mismatch', message);
    notify(() => onRefused(advised, received.request));
  }

  /** Another attempt has handled the delivery, or is handling it. */
  duplicate(
    event: WebhookEvent,
    { request, secretIndex }: WebhookContext<Request>,
    state: DuplicateDelivery['state'],
  ): void {
    notify(() => this.#settings.onDuplicate?.(event, { state, request, secretIndex }));
  }

  /** The handlers of a delivery are not done, and its time is nearly up. */
  slow(event: WebhookEvent, context: WebhookContext<Request>): void {
    notify(() => this.#settings.onSlowHandler?.(event, context));
  }

  /** A delivery was handled and recorded. */
  handled(event: WebhookEvent, context: WebhookContext<Request>): void {
    notify(() => this.#settings.onHandled?.(event, context));
  }
}
