import type { WebhookEvent } from '../../contract/delivery.js';
import type { Clock } from '../../foundation/clock.js';
import type { DedupeStore } from '../dedupe/dedupe-store.js';
import type { WebhookSecret } from '../verification/secret.js';
import type { UnwrapWebhookOptions } from '../verification/unwrap.js';
import type { WebhookVerificationError } from '../verification/verification-error.js';
import type { RefusedRequestError } from './refused-request-error.js';
import type { UnreadableBodyError } from './unreadable-body-error.js';
import type { UnknownEventHandler, WebhookContext } from './webhook-handler.js';

/**
 * The secret or secrets of a request's subscription, for a receiver of several: `undefined` or an empty list for a
 * subscription that is not known, which refuses the delivery. Asked only once the signature has the right form.
 *
 * @typeParam Request - The framework's own request.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, type SecretOfRequest } from 'messaging-automation/webhooks';
 *
 * const secrets = new Map([['shop', 'whsec_example']]);
 * const secret: SecretOfRequest<Request> = (request) =>
 *   secrets.get(new URL(request.url).searchParams.get('subscription') ?? '');
 * const receiver = createWebhookReceiver<Request>({ secret });
 * ```
 */
export type SecretOfRequest<Request> = (request: Request) => MaybeSecret | Promise<MaybeSecret>;

type MaybeSecret = WebhookSecret | readonly WebhookSecret[] | null | undefined;

/**
 * What failed, beside the error itself. Holds the delivery, which is personal data: log the error, not this.
 *
 * @typeParam Request - The framework's own request.
 *
 * @example
 * ```ts
 * import type { ReceiverFailure } from 'messaging-automation/webhooks';
 *
 * const level = (failure: ReceiverFailure) => (failure.willBeRetried ? 'warn' : 'error');
 * ```
 */
export interface ReceiverFailure<Request = unknown> {
  /** The framework's own request. */
  readonly request: Request;
  /** The event, once it was verified. */
  readonly event: WebhookEvent | undefined;
  /** Whether the answer makes the service send the delivery again, as far as it still does (document §8: twice). */
  readonly willBeRetried: boolean;
}

/**
 * What `onRefused` is told: why a request was refused. Each has a `reason` for a program.
 *
 * @example
 * ```ts
 * import type { RefusalError } from 'messaging-automation/webhooks';
 *
 * const counts = new Map<RefusalError['reason'], number>();
 * const count = ({ reason }: RefusalError) => counts.set(reason, (counts.get(reason) ?? 0) + 1);
 * ```
 */
export type RefusalError = WebhookVerificationError | UnreadableBodyError | RefusedRequestError;

/**
 * A delivery that was not handled, because it was handled before or is being handled.
 *
 * @typeParam Request - The framework's own request.
 *
 * @example
 * ```ts
 * import type { DuplicateDelivery } from 'messaging-automation/webhooks';
 *
 * const status = (duplicate: DuplicateDelivery) => (duplicate.state === 'done' ? 204 : 503);
 * ```
 */
export interface DuplicateDelivery<Request = unknown> {
  /** `done`: handled before, and answered with 204. `in_progress`: being handled, and answered with 503. */
  readonly state: 'done' | 'in_progress';
  /** The framework's own request. */
  readonly request: Request;
  /** Which of the secrets signed the delivery, counted from zero. */
  readonly secretIndex: number;
}

/**
 * How a receiver verifies, handles and answers.
 *
 * @typeParam Request - The framework's own request.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, type WebhookReceiverOptions } from 'messaging-automation/webhooks';
 *
 * const options: WebhookReceiverOptions = {
 *   secret: ['whsec_new', 'whsec_old'],
 *   onRefused: (error) => console.warn(error.message),
 *   onError: (error, { willBeRetried }) => console.error(willBeRetried ? 'again:' : 'lost:', error),
 * };
 * const receiver = createWebhookReceiver(options);
 * ```
 */
export interface WebhookReceiverOptions<Request = unknown>
  extends Pick<UnwrapWebhookOptions, 'tolerance' | 'validation' | 'onDrift'> {
  /**
   * The subscription's secret, prefix and all; several while one replaces another; or a function of the request, for
   * many subscriptions. A secret that cannot be one answers 500 and is reported to `onError`, at each delivery rather
   * than here, because some frameworks load a receiver where no secrets are, to build it.
   */
  readonly secret: WebhookSecret | readonly WebhookSecret[] | SecretOfRequest<Request>;
  /**
   * Where the time comes from: the machine's clock unless set. A test that moves the clock of a reference server gives
   * that clock, or the deliveries of the moved time are refused: `clock: server.clock`.
   */
  readonly clock?: Clock | undefined;
  /**
   * The only workspace to take deliveries of. Those of another are refused as `wrong_workspace`, though they are signed
   * with the secret. Any workspace by default.
   */
  readonly workspaceId?: string | undefined;
  /** How many bytes of body to take; more are answered with 413. Default: 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Where handled deliveries are remembered, so that each is handled once though it comes several times: the memory
   * of this process unless set, which serves one process. `false` remembers nothing.
   */
  readonly dedupe?: DedupeStore | false | undefined;
  /**
   * What two deliveries have in common that are to be handled once, as a string of any length. By default that is the
   * secret that verified them together with the workspace and the message id, or with the bytes for other events than
   * messages. So one receiver serves several subscriptions: an event that two of them deliver is handled for each, and
   * no tenant can claim what another one is sent. A key of your own has to see to that itself. A function that throws,
   * or returns anything but a string that is not empty, answers 500 and is reported to `onError`.
   */
  readonly dedupeKey?: ((event: WebhookEvent, context: WebhookContext<Request>) => string) | undefined;
  /**
   * How many milliseconds a claim holds whose process died: shorter than the service keeps trying, or the delivery is
   * lost. While handlers run it is renewed three times within that time, so they may take longer; one that keeps the
   * process from everything else for as long as this may run twice. Default: 30,000.
   */
  readonly lease?: number | undefined;
  /**
   * How many milliseconds the handlers of one delivery may take in all, also after the answer. Then the claim is given
   * up and not renewed any more, `signal` aborts, handlers that have not started do not start, and `onError` is told a
   * `ReceiverError` with the reason `handler_timeout`. Whatever the handler does later changes nothing. Default:
   * 900,000, a quarter of an hour.
   */
  readonly handlerTimeout?: number | undefined;
  /**
   * How many deliveries to claim and handle at once. A verified delivery beyond that is answered with 503 and
   * `Retry-After`, so that the service sends it again, and told to `onError` as a `ReceiverError` with the reason
   * `overloaded`. Handlers that go on after the answer count. `Infinity` sets no bound. Default: 1,000.
   */
  readonly maxConcurrent?: number | undefined;
  /**
   * How many milliseconds to remember a delivery that was handled. Default: for as long as `tolerance` lets it in
   * again, and seven days where that has no end. With less, a delivery that comes late is handled twice.
   */
  readonly rememberFor?: number | undefined;
  /**
   * `after-handlers`, the default: the answer waits for the handlers and tells how they fared. `after-claim`: it is
   * given as soon as the delivery is verified and claimed, and the handlers run after it, for as long as they need.
   * The service then takes the delivery for handled: one that fails is told to `onError` and not sent again, and one
   * whose process ends is lost.
   */
  readonly acknowledge?: 'after-handlers' | 'after-claim' | undefined;
  /**
   * By when to answer, in milliseconds from the arrival of the request. Default: 4,500, half a second short of what the
   * service waits (document §8).
   */
  readonly deadline?: number | undefined;
  /**
   * What to answer when the handlers are not done by then. `retry`, the default: 503, and the service sends the
   * delivery again, which finds it handled, still at work, or, if the handlers failed, free to try again.
   * `acknowledge`: 204; a handler that fails later is told to `onError` and the delivery not sent again. Either way the
   * handlers go on.
   */
  readonly whenSlow?: 'retry' | 'acknowledge' | undefined;
  /**
   * Told once of each delivery whose handlers are not done when four fifths of the deadline have passed, 3.6 seconds by
   * default; or, where they started later than that, at the deadline. `context.remaining` says how long is left. Not
   * told with `acknowledge: 'after-claim'`, where there is no deadline.
   */
  readonly onSlowHandler?: ((event: WebhookEvent, context: WebhookContext<Request>) => unknown) | undefined;
  /** Handles events of types that this package does not know, which are acknowledged in any case but its failure. */
  readonly onUnknownEvent?: UnknownEventHandler<Request> | undefined;
  /**
   * Told of each delivery whose handlers are done without an error, once it is remembered as handled; also of one that
   * no handler is there for. Not of a duplicate.
   */
  readonly onHandled?: ((event: WebhookEvent, context: WebhookContext<Request>) => unknown) | undefined;
  /** Told of each delivery that is not handled, because it was handled before or is being handled. */
  readonly onDuplicate?:
    | ((event: WebhookEvent, duplicate: DuplicateDelivery<Request>) => unknown)
    | undefined;
  /**
   * Told of each request that is refused for what is in it (a method, a signature, an age, a shape, a size, a sender that
   * stalls or breaks off), and of those that come after `drain()`. The error holds no secret and nothing of the body.
   * Anybody can cause these: count them, and raise no alarm. Unless set, the process warns, once per reason, under the
   * name `MessagingAutomationRefusal`, and says what `diagnoseWebhook` found out.
   */
  readonly onRefused?: ((error: RefusalError, request: Request) => unknown) | undefined;
  /**
   * Told of each failure on this side: a handler, a secret, a dedupe store, a body that something else parsed, too much
   * work at once. Unless set, the error goes to the console. The errors of the receiver itself are `ReceiverError`,
   * `ReceiverDeadlineError` and `UnreadableBodyError`.
   */
  readonly onError?: ((error: unknown, failure: ReceiverFailure<Request>) => unknown) | undefined;
  /**
   * Keeps the platform from ending the process before work that outlives the answer is done, where the adapter does
   * not know how to. The promise never rejects.
   */
  readonly waitUntil?: ((work: Promise<unknown>, request: Request) => void) | undefined;
}
