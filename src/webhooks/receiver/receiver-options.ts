import type { KnownWebhookEvent, UnknownWebhookEvent, WebhookEvent } from '../../contract/delivery.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { Clock } from '../../foundation/clock.js';
import type { DedupeStore } from '../dedupe/dedupe-store.js';
import type { WebhookSecret } from '../verification/secret.js';
import type { UnwrapWebhookOptions } from '../verification/unwrap.js';
import type { WebhookVerificationError } from '../verification/verification-error.js';
import type { RefusedRequestError, UnreadableBodyError } from './errors.js';

/**
 * Returns the secret or secrets of a request's subscription, for a receiver of several subscriptions. Return `undefined` or an empty
 * list for an unknown subscription: the receiver then refuses the delivery. The receiver calls the function only if the signature
 * has the right form.
 *
 * @typeParam Request - The framework's own request.
 */
export type SecretOfRequest<Request> = (request: Request) => MaybeSecret | Promise<MaybeSecret>;

type MaybeSecret = WebhookSecret | readonly WebhookSecret[] | null | undefined;

/**
 * Details of a failure. It contains the delivery, which is personal data: log the error, not this object.
 *
 * @typeParam Request - The framework's own request.
 */
export type ReceiverFailure<Request = unknown> = {
  /** The framework's own request. */
  readonly request: Request;
  /** The event. `undefined` before it is verified. */
  readonly event: WebhookEvent | undefined;
  /** Whether the response makes the service send the delivery again. The service retries twice. */
  readonly willBeRetried: boolean;
};

/**
 * The error that `onRefused` receives. Each class has a `reason`.
 */
export type RefusalError = WebhookVerificationError | UnreadableBodyError | RefusedRequestError;

/**
 * A delivery that the receiver did not handle, because another attempt has handled it or is handling it.
 *
 * @typeParam Request - The framework's own request.
 */
export type DuplicateDelivery<Request = unknown> = {
  /** `done`: handled, responded with 204. `in_progress`: still being handled at the deadline of this attempt, responded with 503. */
  readonly state: 'done' | 'in_progress';
  /** The framework's own request. */
  readonly request: Request;
  /** The index of the secret that signed the delivery, from zero. */
  readonly secretIndex: number;
};

/**
 * Details of a delivery, which a handler receives next to the event.
 *
 * @typeParam Request - The framework's own request.
 */
export interface WebhookContext<Request = unknown> {
  /** The framework's own request. Its body has been read. In `process`, what you passed to it. */
  readonly request: Request;
  /** The verified bytes of the body. Do not change them: other handlers receive the same object. */
  readonly rawBody: Uint8Array;
  /**
   * The index of the secret that signed the delivery, from zero, in the list of secrets. Zero for a single secret. The first index if the
   * list contains the secret twice.
   */
  readonly secretIndex: number;
  /**
   * The key of the delivery: the same in each attempt, and in a worker (the job's `key`). Put it into a unique column, in the transaction
   * of the handler's own rows, and the database itself keeps the delivery from being handled twice. 1 to 80 letters, digits and hyphens. A
   * dedupe store has it with its first hyphen as a colon, behind the store's prefix.
   *
   * @throws what `dedupeKey` throws.
   */
  readonly key: string;
  /** Whether a newer delivery of the contact was handled before this one. Always false without `inOrder`. */
  readonly isLate: boolean;
  /**
   * The milliseconds until the deadline of the response. `Infinity` if the response was sent before the handlers started.
   */
  readonly remaining: number;
  /**
   * Aborts at the deadline, because the service will send the delivery again: a handler that then throws leaves the delivery to the next
   * attempt. Also aborts at `handlerTimeout`, when the receiver releases the claim.
   */
  readonly signal: AbortSignal;
}

/**
 * What a receiver knows of the last delivery that it verified. Alert on its age: if a subscription was removed or an address is wrong,
 * no request fails, and nothing else says so.
 */
export type LastDelivery = {
  /** When it was verified: ISO 8601, UTC, with milliseconds. */
  readonly at: string;
  /** The type of its event. */
  readonly event: string;
  /** What became of it: `handed_over` is with `enqueue`, and `duplicate` was handled by another attempt. */
  readonly outcome: 'in_progress' | 'handled' | 'handed_over' | 'duplicate' | 'failed';
};

/**
 * Handles one delivery. If it throws or rejects, the service sends the delivery again.
 *
 * @typeParam Event - The event it handles.
 * @typeParam Request - The framework's own request.
 */
export type WebhookHandler<Event, Request = unknown> = (
  event: Event,
  context: WebhookContext<Request>,
) => unknown;

/**
 * The event of a type.
 */
export type WebhookEventOf<Type extends WebhookEventType> = Extract<KnownWebhookEvent, { event: Type }>;

/**
 * Handles any event, including unknown types.
 *
 * @typeParam Request - The framework's own request.
 */
export type AnyEventHandler<Request = unknown> = WebhookHandler<WebhookEvent, Request>;

/**
 * Options of {@link createWebhookReceiver}.
 *
 * @typeParam Request - The framework's own request.
 */
export interface WebhookReceiverOptions<Request = unknown>
  extends Pick<UnwrapWebhookOptions, 'tolerance' | 'validation' | 'onDrift'> {
  /**
   * The secret of the subscription, including `whsec_`; a list while a new secret replaces an old one; or a function of the request,
   * for many subscriptions. With an invalid secret the receiver responds to each delivery with 500 and calls `onError`. It does not throw
   * here, because some frameworks load a receiver at build time, without secrets.
   */
  readonly secret: WebhookSecret | readonly WebhookSecret[] | SecretOfRequest<Request>;
  /**
   * The source of the time. Default: the machine's clock. In a test that moves the clock of a reference server, pass
   * `clock: server.clock`; otherwise the receiver refuses the deliveries as too old or too new.
   */
  readonly clock?: Clock | undefined;
  /**
   * The only accepted workspace. The receiver refuses a delivery of another workspace as `wrong_workspace`, even if the signature is
   * right. The receiver warns if it is `undefined`. Default: any workspace.
   */
  readonly workspaceId?: string | undefined;
  /** The maximum size of a body in bytes. The receiver responds to a larger one with 413. Default: 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The store of handled deliveries, so that the receiver handles each delivery once. Default: the memory of this process, which is
   * enough for one process. With `false`, the receiver handles every attempt.
   */
  readonly dedupe?: DedupeStore | false | undefined;
  /**
   * Returns the identity of a delivery, as a string of any length. The receiver handles deliveries with the same key once. Default:
   * for messages the verifying secret, the workspace and the message id, for other events the verifying secret and the bytes. So one
   * receiver can serve several subscriptions: it handles an event once for each, and no tenant can claim another tenant's delivery.
   * Your own function must ensure this itself. If it throws, or returns anything but a non-empty string, the receiver responds with 500 and
   * calls `onError`.
   */
  readonly dedupeKey?: ((event: WebhookEvent, context: WebhookContext<Request>) => string) | undefined;
  /**
   * With `'contact'`, deliveries of one contact run one after the other, in the order of their timestamps as far as they have arrived: in
   * this process, in all that share the store, and in `process`. Those of other contacts run at the same time. A delivery whose turn does
   * not come before the deadline gets 503, and keeps its place for `handlerTimeout`, so that a retry finds it handled. The service may send
   * a delivery again after newer ones were handled: `context.isLate` says so. It needs a dedupe store with the part `turns`, which those of
   * this package have. Default: each delivery runs when it arrives.
   */
  readonly inOrder?: 'contact' | undefined;
  /**
   * How long the claim of a dead process lasts, in milliseconds. An attempt that meets the claim gets 503 at its deadline, and
   * continues for this time: it handles the delivery when the claim ends. While handlers run, the receiver renews the claim three
   * times in this period, so handlers may take longer. A handler that blocks the process for this time may run twice. Default: 30,000.
   */
  readonly lease?: number | undefined;
  /**
   * The total time of one delivery's handlers in milliseconds, also after the response. Then the receiver releases the claim, aborts
   * `signal`, starts no further handler, and calls `onError` with a `ReceiverError` with the reason `handler_timeout`. Later actions of
   * the handler change nothing. Default: 900,000, which is 15 minutes; in `process`, no limit.
   */
  readonly handlerTimeout?: number | undefined;
  /**
   * The maximum number of deliveries that are claimed and handled at the same time, including handlers that continue after the
   * response, and deliveries that wait for their turn, of which one contact has a quarter at most. The receiver responds to further verified deliveries with 503 and `Retry-After`, so that the service sends them again, and
   * calls `onError` with a `ReceiverError` with the reason `overloaded`. `Infinity` sets no limit. Default: 1,000.
   */
  readonly maxConcurrent?: number | undefined;
  /**
   * How long a handled delivery is remembered, in milliseconds. Default: as long as `tolerance` would accept it again, or seven days
   * if `tolerance` has no limit. With a shorter time, a late retry is handled twice.
   */
  readonly rememberFor?: number | undefined;
  /**
   * The time from the arrival of the request to the response, in milliseconds. If the handlers are not done by then, the receiver responds
   * with 503, and they continue: a retry of the service finds the delivery handled, in progress, or, if they failed, free to handle. For
   * handlers that always take longer, use `enqueue`. Default: 4,500. The service waits 5,000.
   */
  readonly deadline?: number | undefined;
  /**
   * Called once for each delivery whose handlers, or `enqueue`, are not done after four fifths of the deadline (3.6 seconds by default),
   * or at the deadline if they started later. `context.remaining` is the remaining time. Default: none.
   */
  readonly onSlowHandler?: ((event: WebhookEvent, context: WebhookContext<Request>) => unknown) | undefined;
  /**
   * Puts a verified delivery into your queue, for handlers that take longer than the service waits. The receiver then runs no handler
   * itself: it responds with 204 when this function is done, and 503 when it throws or rejects, or is not done at the deadline. Let it throw
   * if the queue does not have the job: null, false and the results of failed batches count as a failure, too. The receiver does not check
   * the dedupe store here: a delivery that arrives again is queued again. A worker passes the job to {@link WebhookReceiver.process}, which
   * runs the handlers. Give the job's `key` to a queue that ignores a second job with the same id. Default: none; the handlers run before
   * the response.
   */
  readonly enqueue?: ((job: WebhookJob, context: WebhookContext<Request>) => unknown) | undefined;
  /** Handles events of unknown types. The receiver acknowledges them, except if this handler fails. Default: none. */
  readonly onUnknownEvent?: WebhookHandler<UnknownWebhookEvent, Request> | undefined;
  /**
   * Called for each delivery that was handled without an error and recorded, even if no handler exists for its type. Not called for a
   * duplicate, and with `enqueue` only by `process`. Default: none.
   */
  readonly onHandled?: ((event: WebhookEvent, context: WebhookContext<Request>) => unknown) | undefined;
  /** Called for each delivery that another attempt has handled or is handling. Default: none. */
  readonly onDuplicate?:
    | ((event: WebhookEvent, duplicate: DuplicateDelivery<Request>) => unknown)
    | undefined;
  /**
   * Called for each request that the receiver refuses because of its content (method, signature, age, shape, size, a sender that
   * stalls or disconnects), and for each request after `drain()`. The error contains no secret and no part of the body. Anyone can
   * cause these, so count them, but do not raise an alarm. Default: a process warning per reason, with the name
   * `MessagingAutomationRefusal` and the result of `diagnoseWebhook`.
   */
  readonly onRefused?: ((error: RefusalError, request: Request) => unknown) | undefined;
  /**
   * Called for each failure on your side: a handler, a secret, a dedupe store, `enqueue`, a body that a framework has parsed, too many deliveries.
   * The receiver's own errors are `ReceiverError`, `ReceiverDeadlineError` and `UnreadableBodyError`. Default: the error goes to the
   * console.
   */
  readonly onError?: ((error: unknown, failure: ReceiverFailure<Request>) => unknown) | undefined;
  /**
   * Receives the work that continues after the response, so that the platform does not stop the process before it is done. Needed only if
   * the adapter has no such function. The promise never rejects. Default: that of the adapter.
   */
  readonly waitUntil?: ((work: Promise<unknown>, request: Request) => void) | undefined;
}

/**
 * A verified delivery, for a queue: plain JSON, which the queue may store in any form. `enqueue` receives it, and `process` runs its
 * handlers. It contains the delivery, which is personal data.
 */
export interface WebhookJob {
  /** The version of this form. */
  readonly version: 1;
  /**
   * The identity of the delivery: the same in each attempt of the service. 1 to 80 letters, digits and hyphens, so that each queue takes
   * it as the id of a job.
   */
  readonly key: string;
  /**
   * The group of the deliveries of a contact: 72 lowercase letters, digits and a hyphen. A queue that keeps an order takes it as the name of
   * a group. Missing for an event of no contact.
   */
  readonly group?: string;
  /** The body, exactly as it was signed. */
  readonly body: string;
  /** The signature, which `process` verifies again: 64 hex digits. */
  readonly signature: string;
  /** The index of the secret that signed the delivery, from zero, in the list of secrets. */
  readonly secretIndex: number;
  /** When the receiver verified it: ISO 8601, UTC, with milliseconds. */
  readonly receivedAt: string;
}
