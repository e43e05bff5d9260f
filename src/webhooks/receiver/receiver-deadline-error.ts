import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * What a receiver waits for before its handlers start: the function that returns the secret, or the claim in the dedupe store.
 */
export type ReceiverStage = 'secret' | 'dedupe';

const waits: Readonly<Record<ReceiverStage, string>> = {
  secret: 'the secret. Keep the secrets of recent subscriptions at hand',
  dedupe: 'the dedupe store. Check that it is up and near',
};

/**
 * The deadline passed before the handlers could start. The receiver answered 503, so that the service sends the delivery again.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, ReceiverDeadlineError } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({
 *   secret: 'whsec_example',
 *   onError: (error) => {
 *     if (error instanceof ReceiverDeadlineError) console.error('slow to start:', error.stage);
 *   },
 * });
 * ```
 */
export class ReceiverDeadlineError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'ReceiverDeadlineError');
  }

  /** What the receiver was waiting for. */
  readonly stage: ReceiverStage;

  constructor(stage: ReceiverStage, deadline: number) {
    super(`A delivery was not handled: its ${deadline} ms were up while waiting for ${waits[stage]}.`);
    this.stage = stage;
  }
}
