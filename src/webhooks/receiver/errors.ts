import { describeErrorClasses, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * A failure in a receiver that is not an error of a handler, a secret or a store.
 *
 * - `claim_lost`: the delivery's claim ended while its handlers ran, so another process may handle it, too. The handlers
 *   continue.
 * - `handler_timeout`: the handlers were not done within `handlerTimeout`. The receiver released the claim.
 * - `in_progress`: another worker holds the job's delivery for longer than a lease. `process` rejects with it.
 * - `invalid_job`: `process` got a value that is not a job of a receiver, and rejects with it.
 * - `not_enqueued`: `enqueue` returned what the queue's client returns for a job that it did not store.
 * - `out_of_turn`: with `inOrder`, earlier deliveries of the contact were not done within `handlerTimeout`.
 * - `overloaded`: the receiver handles `maxConcurrent` deliveries already, or a quarter of these are of one contact. It responded to this
 *   one with 503.
 * - `store_fault`: the dedupe store returned an invalid value, or nothing for the time of a lease. If this was the claim, no handler
 *   ran.
 */
export type ReceiverErrorReason =
  | 'claim_lost'
  | 'handler_timeout'
  | 'in_progress'
  | 'invalid_job'
  | 'not_enqueued'
  | 'out_of_turn'
  | 'overloaded'
  | 'store_fault';

/**
 * A receiver could not handle a verified delivery as it should. `onError` receives it, or `process` rejects with it. The message says
 * what to do.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, ReceiverError } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({
 *   secret: 'whsec_example',
 *   onError: (error) => {
 *     if (error instanceof ReceiverError) console.error(error.reason, error.message);
 *   },
 * });
 * ```
 */
export class ReceiverError extends MessagingAutomationError {
  /** The reason, for code. */
  readonly reason: ReceiverErrorReason;

  constructor(reason: ReceiverErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * What a receiver waits for before its handlers start: the function that returns the secret, or the claim in the dedupe store.
 */
export type ReceiverStage = 'secret' | 'dedupe';

const waits: Readonly<Record<ReceiverStage, string>> = {
  secret: 'the secret. Cache the secrets of recent subscriptions',
  dedupe: 'the dedupe store. Check that it is up and near',
};

/**
 * The deadline passed before the handlers could start. The receiver responded with 503, so that the service sends the delivery again.
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
  /** What the receiver was waiting for. */
  readonly stage: ReceiverStage;

  constructor(stage: ReceiverStage, deadline: number) {
    super(`A delivery was not handled: its ${deadline} ms passed while waiting for ${waits[stage]}.`);
    this.stage = stage;
  }
}

/**
 * Why a receiver refused a request before it checked the signature.
 *
 * - `wrong_method`: not a POST. Responded with 405.
 * - `draining`: your process called `drain()`, because it shuts down. Responded with 503; the service sends the delivery
 *   again.
 * - `overloaded`: the receiver holds too many bytes of bodies that it has not verified, and this was the largest body. Responded with
 *   503; the service sends the delivery again.
 */
export type RefusedRequestReason = 'wrong_method' | 'draining' | 'overloaded';

/**
 * A request that a receiver refused before it checked the signature. `onRefused` receives it.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, RefusedRequestError } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({
 *   secret: 'whsec_example',
 *   onRefused: (error) => {
 *     if (!(error instanceof RefusedRequestError)) console.warn(error.reason, error.message);
 *   },
 * });
 * ```
 */
export class RefusedRequestError extends MessagingAutomationError {
  /** The reason, for code. */
  readonly reason: RefusedRequestReason;

  constructor(reason: RefusedRequestReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Why the bytes of a body are not available.
 *
 * - `too_large`: more bytes than `maxBodyBytes`. Responded with 413.
 * - `aborted`: the sender disconnected, so no one can receive a response.
 * - `stalled`: the body had not arrived at the deadline. Responded with 503.
 * - `parsed`: a middleware has parsed the body and discarded its bytes. The setup is wrong.
 * - `consumed`: a middleware has read the body. The setup is wrong.
 * - `encoded`: the body is compressed. The service never compresses.
 */
export type UnreadableBodyReason = 'too_large' | 'aborted' | 'stalled' | 'parsed' | 'consumed' | 'encoded';

/**
 * The bytes of a delivery are not available, so the receiver could not verify it. The message names the framework's option that keeps
 * them.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, UnreadableBodyError } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({
 *   secret: 'whsec_example',
 *   onError: (error) => {
 *     if (error instanceof UnreadableBodyError) console.error(error.reason, error.message);
 *   },
 * });
 * ```
 */
export class UnreadableBodyError extends MessagingAutomationError {
  /** The reason, for code. */
  readonly reason: UnreadableBodyReason;

  constructor(reason: UnreadableBodyReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

describeErrorClasses({ ReceiverError, ReceiverDeadlineError, RefusedRequestError, UnreadableBodyError });

/** The body is larger than the receiver's limit. */
export function tooLarge(limit: number): UnreadableBodyError {
  return new UnreadableBodyError(
    'too_large',
    `The body has more than ${limit} bytes, the most that this receiver takes. Raise maxBodyBytes if deliveries are that large.`,
  );
}

/** The sender disconnected before the end of the body. */
export function aborted(): UnreadableBodyError {
  return new UnreadableBodyError('aborted', 'The sender disconnected before the end of the body.');
}

/** A middleware has read the body. */
export function consumed(fix: string): UnreadableBodyError {
  return new UnreadableBodyError('consumed', `The body was read before the receiver saw it. ${fix}`);
}

/** A middleware has parsed the body and kept no bytes. */
export function parsed(fix: string, what = 'The body was parsed before the receiver saw its bytes.') {
  return new UnreadableBodyError('parsed', `${what} ${fix}`);
}
