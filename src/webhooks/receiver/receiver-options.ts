import type { WebhookEvent } from '../../contract/delivery.js';
import type { Clock } from '../../foundation/clock.js';
import type { DedupeStore } from '../dedupe/dedupe-store.js';
import type { WebhookSecret } from '../verification/secret.js';
import type { UnwrapWebhookOptions } from '../verification/unwrap.js';
import type { WebhookVerificationError } from '../verification/verification-error.js';
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

/** Why a request was refused. */
export type RefusalError = WebhookVerificationError | UnreadableBodyError;

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
  /** Where the time comes from: the machine's clock unless set. */
  readonly clock?: Clock | undefined;
  /** How many bytes of body to take; more are answered with 413. Default: 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Where handled deliveries are remembered, so that each is handled once though it comes several times: the memory
   * of this process unless set, which serves one process. `false` remembers nothing.
   */
  readonly dedupe?: DedupeStore | false | undefined;
  /**
   * How many milliseconds a claim holds whose process died: shorter than the service keeps trying, or the delivery is
   * lost. While handlers run it is renewed three times within that time, so they may take longer; one that keeps the
   * process from everything else for as long as this may run twice. Default: 30,000.
   */
  readonly lease?: number | undefined;
  /**
   * How many milliseconds to remember a delivery that was handled: unless set, for as long as `tolerance` would let it
   * in again, and seven days where that has no end.
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
  /** Told of each delivery whose handlers were not done at the deadline. */
  readonly onSlowHandler?: ((event: WebhookEvent, context: WebhookContext<Request>) => unknown) | undefined;
  /** Handles events of types that this package does not know, which are acknowledged in any case but its failure. */
  readonly onUnknownEvent?: UnknownEventHandler<Request> | undefined;
  /**
   * Told of each request that was refused for what is in it: a signature, an age, a shape, a size. The error holds no
   * secret and nothing of the body. Anybody can cause these; count them rather than raise an alarm.
   */
  readonly onRefused?: ((error: RefusalError, request: Request) => unknown) | undefined;
  /**
   * Told of each failure on this side: a handler, a secret, a dedupe store, a body that something else parsed. Unless
   * set, the error goes to the console.
   */
  readonly onError?: ((error: unknown, failure: ReceiverFailure<Request>) => unknown) | undefined;
  /**
   * Keeps the platform from ending the process before work that outlives the answer is done, where the adapter does
   * not know how to. The promise never rejects.
   */
  readonly waitUntil?: ((work: Promise<unknown>, request: Request) => void) | undefined;
}
