import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import { atMost } from '../../foundation/clock.js';
import { notify } from '../../foundation/listeners.js';
import { checkOptionsOfCall, milliseconds } from '../../foundation/options.js';
import { steersFramework } from '../../foundation/steering.js';
import type { DedupeClaim } from '../dedupe/dedupe-store.js';
import { WebhookVerificationError } from '../verification/verification-error.js';
import { Delivery, type VerifiedDelivery } from './delivery.js';
import { createClaims, DeliveryClaim, deliveryKey, ownDeliveryKey } from './delivery-claim.js';
import {
  ReceiverDeadlineError,
  ReceiverError,
  RefusedRequestError,
  tooLarge,
  UnreadableBodyError,
} from './errors.js';
import type { ReceiverCore, ReceiverResponse } from './exchange.js';
import { HandlerContext, Handlers } from './handlers.js';
import type {
  AnyEventHandler,
  RefusalError,
  WebhookEventOf,
  WebhookHandler,
  WebhookReceiverOptions,
} from './receiver-options.js';
import { createRefusalWarnings, type SignatureMismatch } from './refusal-warnings.js';
import { acknowledged, busy, failed, isRefusal, responsesToRefusals, unavailable } from './responses.js';
import { readSettings } from './settings.js';
import { countUnverifiedBytes } from './unverified-bytes.js';
import { askForSecrets, checkBeforeReading, verifyDelivery } from './verify-delivery.js';
import { letResponsesBeWritten, within } from './waits.js';
import { jobOf, readJob } from './webhook-job.js';
import { type DrainOptions, type UnfinishedDelivery, WorkInProgress } from './work-in-progress.js';

/**
 * Verifies deliveries, calls their handlers and decides the response. An adapter, such as `toNodeHandler`, converts it into a handler of
 * your framework.
 *
 * @typeParam Request - The framework's own request, which the handlers receive.
 */
export interface WebhookReceiver<Request = unknown> extends ReceiverCore<Request> {
  /**
   * Adds a handler for a type of event. Several handlers of a type run one after the other, in the order in which they were added. If
   * one fails, the later ones do not run, and the next attempt runs all of them again.
   *
   * The receiver acknowledges a delivery of a known type without a handler, and warns once per type, with the name
   * `MessagingAutomationUnhandledEvent`.
   *
   * @throws ConfigurationError for an unknown type, or a handler that is not a function.
   */
  on<Type extends WebhookEventType>(type: Type, handler: WebhookHandler<WebhookEventOf<Type>, Request>): this;

  /**
   * Adds a handler for every event, including unknown types. It runs in order: after the handlers that were added before it, and before
   * those that were added later.
   *
   * @throws ConfigurationError for a handler that is not a function.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'messaging-automation/webhooks';
   *
   * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
   * receiver.onAny((event) => console.log(event.event, event.workspaceId));
   * ```
   */
  onAny(handler: AnyEventHandler<Request>): this;

  /**
   * Runs the handlers of a delivery that `enqueue` has put into a queue. Call it in the worker. It verifies the job again, except its
   * age, and runs the handlers once for each delivery, for as long as they take. While another worker has the delivery, it waits for one
   * `lease`, by which the claim of a dead worker ends.
   *
   * Rejects with what a handler throws, so that the queue retries the job by its own rules. Such an error does not go to `onError`.
   *
   * @param job What `enqueue` received. Further fields are ignored.
   * @param request What the handlers get as `context.request`, and what a function `secret` gets. Default: `undefined`.
   * @throws ReceiverError if the value is not a job, or another worker keeps the delivery. WebhookVerificationError if no secret of this
   *   receiver signed it. The dedupe store's error if it fails for a lease.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver, type WebhookJob } from 'messaging-automation/webhooks';
   *
   * const queue: WebhookJob[] = []; // BullMQ, graphile-worker, SQS, …
   * const receiver = createWebhookReceiver({ secret: 'whsec_example', enqueue: (job) => queue.push(job) });
   * receiver.on('message.received', (event) => console.log(event.data.body));
   *
   * // In the worker:
   * for (const job of queue) await receiver.process(job);
   * ```
   */
  process(job: unknown, request?: Request): Promise<void>;

  /**
   * Prepares for the end of the process. From now on the receiver responds to each new request with 503 and `Retry-After`, so that the
   * service sends it again, to another process. Resolves when all work in progress is done, including handlers that continue after
   * their response and those of `process`, and the responses are written; or at the timeout. A framework that takes a `Response` does not say when it has written
   * it, and gets ten turns of the event loop. It cannot be undone. A second call waits again.
   *
   * @returns The unfinished deliveries. Empty if all work is done.
   * @throws ConfigurationError for a timeout that is not a number of milliseconds.
   *
   * @example
   * ```ts
   * import { createServer } from 'node:http';
   * import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
   *
   * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
   * const server = createServer(toNodeHandler(receiver));
   *
   * process.once('SIGTERM', async () => {
   *   const unfinished = await receiver.drain({ timeout: 8_000 });
   *   if (unfinished.length > 0) console.error(`${unfinished.length} deliveries were not finished`);
   *   server.close();
   * });
   * ```
   */
  drain(options?: DrainOptions): Promise<readonly UnfinishedDelivery<Request>[]>;
}

/**
 * Creates a receiver of webhook deliveries. It responds with 2xx only to verified deliveries.
 *
 * Before it reads the body, it checks the method, the form of the signature, and the compression and length in the headers. Then it
 * checks the size, the signature, UTF-8, JSON, the age, the workspace and the dedupe store, and runs the handlers. Its responses consist of
 * a status only:
 *
 * | status | cause |
 * |---|---|
 * | 204 | verified, and handled now or earlier, or no handler exists for its type |
 * | 400 | correctly signed, but not usable: not UTF-8, not JSON, another shape or workspace, too old or too new; or the sender disconnected |
 * | 401 | the signature is wrong, or the subscription is unknown |
 * | 405, 413, 415 | not a POST; too large; compressed |
 * | 500 | a handler, the secret, the dedupe store or the setup failed. The receiver calls `onError` |
 * | 503 | another attempt is handling the delivery; `enqueue` failed; the deadline passed; too many deliveries; or after `drain()` |
 *
 * The service sends a delivery again after any other response than a 2xx.
 *
 * @typeParam Request - The framework's own request, which the handlers receive.
 * @throws ConfigurationError for an invalid option.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, signatureHeader, signWebhook } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const receiver = createWebhookReceiver<Request>({ secret });
 * receiver.on('contact.opted_out', (event) => console.log('opted out:', event.data.contactId));
 *
 * // What an adapter does:
 * const receive = async (request: Request): Promise<Response> => {
 *   const { method, headers } = request;
 *   const readBody = async () => new Uint8Array(await request.arrayBuffer());
 *   const response = await receiver.receive({ method, headers, readBody, request });
 *   return new Response(response.body || null, { status: response.status, headers: response.headers });
 * };
 *
 * const body = JSON.stringify({
 *   event: 'contact.opted_out',
 *   workspaceId: 'workspace_1',
 *   timestamp: new Date().toISOString(),
 *   data: { contactId: 'contact_1' },
 * });
 * const headers = { [signatureHeader]: signWebhook(body, secret) };
 * const response = await receive(new Request('https://example.com/webhooks', { method: 'POST', body, headers }));
 * console.log(response.status); // 204
 * ```
 */
export function createWebhookReceiver<Request = unknown>(
  options: WebhookReceiverOptions<Request>,
): WebhookReceiver<Request> {
  const settings = readSettings(options);
  const { acknowledge, clock, deadline, dedupe, dedupeKey, enqueue, lease, maxBodyBytes, secret } = settings;
  const { handlerTimeout, onDuplicate, onError, onHandled, onRefused, onSlowHandler } = settings;
  const handlers = new Handlers(options.onUnknownEvent);
  const claims = dedupe === false ? undefined : createClaims(dedupe, { lease, ttl: settings.ttl });
  const inProgress = new WorkInProgress<Request>();
  const warnOfRefusal = createRefusalWarnings(clock);
  const unverified = countUnverifiedBytes<Request>(maxBodyBytes, (delivery, error) =>
    delivery.respondWith(responseToError(error, delivery)),
  );
  let isDraining = false;

  const receiver: WebhookReceiver<Request> = {
    on(type, handler) {
      handlers.add(type, handler);
      return receiver;
    },

    onAny(handler) {
      handlers.addToAll(handler);
      return receiver;
    },

    async receive(received) {
      const delivery = new Delivery(received, clock.now() + deadline);
      inProgress.beginResponding(delivery);
      const work = takeThroughSteps(delivery);
      const response = await respondInTime(delivery);
      if (delivery.isEarly) keepPlatformUp(delivery, work);
      const written = () => inProgress.endResponding(delivery);
      if (received.onWritten === undefined) written();
      else received.onWritten(written);
      if (!isDraining) return response;
      // Asks the sender to close the connection, so that its next delivery reaches another process.
      return { ...response, headers: { ...response.headers, Connection: 'close' } };
    },

    async process(job, request) {
      const { key, rawBody, signature } = readJob(job);
      // A receiver whose handlers read the request passes one to `process`.
      const received = { method: 'POST', headers: {}, readBody: () => rawBody, request: request as Request };
      const secrets =
        typeof secret === 'function'
          ? await within(clock, deadline, askForSecrets(secret, received.request), () => {
              throw new ReceiverDeadlineError('secret', deadline);
            })
          : secret;
      // The receiver has checked the age when the delivery came.
      const verification = { ...settings, tolerance: false } as const;
      const { event, secretIndex } = verifyDelivery(rawBody, signature, secrets, verification);
      const delivery = new Delivery<Request>(received, clock.now());
      const details = { request: received.request, rawBody, secretIndex };
      const verified = { event, context: new HandlerContext(details, clock, Number.POSITIVE_INFINITY) };
      delivery.moveTo('claiming', verified);
      inProgress.beginHandling(delivery, Number.POSITIVE_INFINITY);
      try {
        const claim = claims && new DeliveryClaim(claims, key);
        if (claim && (await claimJob(claim, delivery)) === 'done') return tellDuplicate(verified, 'done');
        delivery.moveTo('handling');
        const failures: unknown[] = [];
        await handle(delivery, verified, claim, handlerTimeout, (error) => failures.push(error));
        if (failures.length > 0) throw failures[0];
      } finally {
        inProgress.endHandling(delivery);
      }
    },

    async drain(draining = {}) {
      checkOptionsOfCall('drain', draining, { timeout: milliseconds(0) });
      isDraining = true;
      const unfinished = await inProgress.settle(clock, draining.timeout ?? 8_000);
      await letResponsesBeWritten();
      return unfinished;
    },
  };
  return receiver;

  /**
   * Takes one delivery through its steps, from its headers to its response. Awaits only promises, and never rejects. When the time is up,
   * the delivery gets `lateResponse`, and the next step does not start, except that a claim may come late.
   */
  async function takeThroughSteps(delivery: Delivery<Request>): Promise<void> {
    const { received } = delivery;
    const { request } = received;
    let signed: SignatureMismatch | undefined;
    try {
      if (isDraining) {
        const message = 'The receiver accepts no more deliveries, because drain() was called.';
        throw new RefusedRequestError('draining', message);
      }
      const signature = checkBeforeReading(received, maxBodyBytes);
      const body = received.readBody(maxBodyBytes, (bytes) => unverified.hold(delivery, bytes));
      const rawBody = ArrayBuffer.isView(body) ? body : await body;
      if (rawBody.byteLength > maxBodyBytes) throw tooLarge(maxBodyBytes);

      if (!delivery.moveTo('verifying')) return;
      const secrets = typeof secret === 'function' ? await askForSecrets(secret, request) : secret;
      signed = { rawBody, signature, secrets };
      const { event, secret: signer, secretIndex } = verifyDelivery(rawBody, signature, secrets, settings);
      unverified.release(delivery);

      const respondBy = acknowledge === 'after-claim' ? Number.POSITIVE_INFINITY : delivery.respondBy;
      const context = new HandlerContext({ request, rawBody, secretIndex }, clock, respondBy);
      const verified = { event, context };
      if (!delivery.moveTo('claiming', verified)) return;
      inProgress.beginHandling(delivery, settings.maxConcurrent);
      const keyOf = () =>
        dedupeKey === undefined
          ? deliveryKey(event, signer, signature)
          : ownDeliveryKey(dedupeKey(event, context));
      if (enqueue !== undefined) {
        const job = jobOf(context, signature, keyOf(), clock.now());
        if (!delivery.moveTo('handling')) return;
        try {
          await enqueue(job, context);
          return delivery.respondWith(acknowledged);
        } catch (error) {
          tellFailure(error, delivery);
          return delivery.respondWith(unavailable);
        }
      }
      const claim = claims && new DeliveryClaim(claims, keyOf());
      const claimed = claim && (await claimDelivery(claim, delivery));
      if (claimed === 'in_progress') return; // until its time was up
      if (claimed === 'done') {
        if (!delivery.hasResponse) tellDuplicate(verified, claimed);
        return delivery.respondWith(acknowledged);
      }

      const isInTime = delivery.moveTo('handling');
      // The sender got 503, and no attempt may be left that finds it free.
      if (!isInTime && !(mayClaimLate(delivery) && inProgress.keepHandling(delivery))) {
        return await claim?.release();
      }
      if (acknowledge === 'after-claim') delivery.respondWith(acknowledged, true);
      if (!isInTime) context.haveNoDeadline();
      await handle(delivery, verified, claim, handlerTimeout ?? defaultHandlerTimeout);
    } catch (error) {
      delivery.respondWith(responseToError(error, delivery, signed));
    } finally {
      unverified.release(delivery);
      inProgress.endHandling(delivery);
    }
  }

  /** Claims the delivery of a job, within one lease. */
  function claimJob(claim: DeliveryClaim, delivery: Delivery<Request>): Promise<DedupeClaim> {
    const claiming = claimDelivery(claim, delivery);
    return within(clock, lease, claiming, async () => {
      delivery.respondWith(unavailable); // ends the claiming
      claiming.then((found) => (found === 'claimed' ? claim.release() : undefined)).catch(() => {});
      if (delivery.unclaimed === undefined) throw new ReceiverDeadlineError('dedupe', lease);
      if (delivery.unclaimed !== 'in_progress') throw delivery.unclaimed.failure;
      throw new ReceiverError(
        'in_progress',
        `A job was not processed, because another worker held its delivery for ${lease} ms. Let the queue give the job out again ` +
          'later, and only when the first worker is done or dead: raise the time for which a job is hidden from other workers.',
      );
    });
  }

  /**
   * Claims a delivery. While another attempt has it or the store fails, tries again: the other attempt may fail or its process be dead,
   * or the store be back, and attempts are few. After the response it does so for one lease, by which the claim of a dead process ends.
   */
  async function claimDelivery(claim: DeliveryClaim, delivery: Delivery<Request>): Promise<DedupeClaim> {
    try {
      for (;;) {
        const found = await claim.begin().catch((error: unknown) => {
          if (error instanceof ReceiverError || steersFramework(error)) throw error;
          return { failure: error };
        });
        if (found === 'claimed' || found === 'done') return found;
        delivery.unclaimed = found;
        await claim.change(clock);
        if (delivery.hasResponse && !mayClaimLate(delivery)) return 'in_progress';
      }
    } finally {
      claim.abandon();
    }
  }

  function mayClaimLate({ respondBy }: Delivery<Request>): boolean {
    return !isDraining && clock.now() < respondBy + lease;
  }

  /** Runs the handlers, at most until the timeout. Then settles the claim, and responds. Their failure goes to `onError` by default. */
  async function handle(
    delivery: Delivery<Request>,
    { event, context }: VerifiedDelivery<Request>,
    claim: DeliveryClaim | undefined,
    timeout: number | undefined,
    onFailure?: (error: unknown) => void,
  ): Promise<void> {
    const report = (error: unknown) => tellFailure(error, delivery);
    try {
      const running = handlers.run(event, context);
      claim?.keepRenewing(clock, report);
      if (timeout === undefined) await running;
      else
        await within(clock, timeout, running, async () => {
          context.isGivenUp = true;
          context.abort();
          throw new ReceiverError(
            'handler_timeout',
            `The handlers of a delivery were not done within ${timeout} ms, so its claim was given up. ` +
              'Let them end when context.signal aborts, or raise handlerTimeout.',
          );
        });
    } catch (error) {
      claim?.stopRenewing();
      (onFailure ?? report)(error);
      delivery.outcome = failed;
      // A claim that cannot be released expires.
      if (claim !== undefined) await confirmedByStore(claim.release()).catch(report);
      return delivery.respondWith(failed);
    }
    delivery.outcome = acknowledged;
    if (claim === undefined || (await record(claim, delivery))) notify(() => onHandled?.(event, context));
    claim?.stopRenewing();
    delivery.respondWith(acknowledged);
  }

  /**
   * Records that a delivery was handled, and returns whether that succeeded. If the store fails, the sender gets its response, because
   * another attempt would be handled twice; the receiver repeats the commit for some minutes, while it still renews the claim.
   */
  async function record(claim: DeliveryClaim, delivery: Delivery<Request>): Promise<boolean> {
    const giveUpAt = clock.now() + recordingTime;
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      try {
        await confirmedByStore(claim.commit());
        return true;
      } catch (error) {
        if (pause === firstPause) tellFailure(error, delivery);
        if (clock.now() + pause > giveUpAt) return false;
        delivery.respondWith(acknowledged, true);
        await new Promise<void>((resolve) => clock.setTimer(resolve, pause));
      }
    }
  }

  /** Waits for the store, at most for the time of a lease. */
  function confirmedByStore(work: Promise<void>): Promise<void> {
    return within(clock, lease, work, async () => {
      throw new ReceiverError(
        'store_fault',
        `The dedupe store did not respond within ${lease} ms whether it remembers a delivery that was handled, or gave ` +
          'up one that failed. Check that the store is up and near.',
      );
    });
  }

  /** Returns the response to a delivery that was refused or failed. */
  function responseToError(error: unknown, delivery: Delivery<Request>, signed?: SignatureMismatch) {
    if (!isRefusal(error)) {
      tellFailure(error, delivery);
      return error instanceof ReceiverError && error.reason === 'overloaded' ? busy : failed;
    }
    // A refusal after the response changes nothing, and a hook was already called for the delivery.
    if (!delivery.hasResponse) tellRefusal(error, delivery, signed);
    return responsesToRefusals[error.reason];
  }

  function tellFailure(error: unknown, { received, verified, response, outcome }: Delivery<Request>) {
    const { request, onSteering } = received;
    const willBeRetried = (response ?? outcome) !== acknowledged;
    notify(() => onError(error, { request, event: verified?.event, willBeRetried }));
    if (willBeRetried && response === undefined && steersFramework(error)) onSteering?.(error);
  }

  /**
   * Adds advice to a signature that does not match if the body arrived as text, because decoding may have changed the signed bytes. A
   * forged signature looks the same, so the response does not change.
   */
  function tellRefusal(
    error: RefusalError,
    { received }: Delivery<Request>,
    signed?: SignatureMismatch,
  ): void {
    const isMismatch = error.reason === 'signature_mismatch';
    const advice = isMismatch ? received.adviceOnDecodedBody?.() : undefined;
    if (onRefused === undefined) {
      warnOfRefusal(error, isMismatch ? signed : undefined, advice);
      return;
    }
    const message = `${error.message} ${advice}`;
    const advised =
      advice === undefined ? error : new WebhookVerificationError('signature_mismatch', message);
    notify(() => onRefused(advised, received.request));
  }

  function tellDuplicate({ event, context }: VerifiedDelivery<Request>, state: 'done' | 'in_progress'): void {
    const { request, secretIndex } = context;
    notify(() => onDuplicate?.(event, { state, request, secretIndex }));
  }

  function tellIfSlow({ step, verified, response, outcome }: Delivery<Request>): boolean {
    if (step !== 'handling' || verified === undefined || (response ?? outcome) !== undefined) return false;
    notify(() => onSlowHandler?.(verified.event, verified.context));
    return true;
  }

  /** Returns the response of a delivery, or the late response of its step if the time is up first. */
  function respondInTime(delivery: Delivery<Request>): Promise<ReceiverResponse> {
    const warnAfter = slowAfter * deadline;
    return within(clock, warnAfter, delivery.responded, () => {
      const isSlowTold = tellIfSlow(delivery);
      const end = () => {
        if (!isSlowTold) tellIfSlow(delivery);
        delivery.respondWith(lateResponse(delivery), true);
        return delivery.responded;
      };
      const left = Math.min(delivery.respondBy - clock.now(), deadline - warnAfter);
      return left > 0 ? atMost(clock, left, delivery.responded, end) : end();
    });
  }

  /** Returns the response to a delivery whose time is up. Work in progress continues: the claim, and the handlers. */
  function lateResponse(delivery: Delivery<Request>): ReceiverResponse {
    const { step, verified, unclaimed, response, outcome } = delivery;
    if (response !== undefined) return response;
    if (step === 'reading') {
      // A refusal and not a failure, because the sender is not verified yet. Only verified senders may cause alarms.
      const message = `The body had not arrived ${deadline} ms after its headers. The sender, or something in between, is slow.`;
      return responseToError(new UnreadableBodyError('stalled', message), delivery);
    }
    if (verified === undefined) {
      tellFailure(new ReceiverDeadlineError('secret', deadline), delivery);
    } else if (step === 'claiming') {
      inProgress.endHandlingWithin(delivery, clock, lease);
      if (unclaimed === 'in_progress') tellDuplicate(verified, unclaimed);
      else tellFailure(unclaimed?.failure ?? new ReceiverDeadlineError('dedupe', deadline), delivery);
    } else {
      if (outcome !== undefined) return outcome;
      if (settings.whenSlow === 'acknowledge') return acknowledged;
      verified.context.abort();
    }
    return unavailable;
  }

  /** Keeps the platform from ending the process before the work is done. */
  function keepPlatformUp(delivery: Delivery<Request>, work: Promise<unknown>): void {
    const { received } = delivery;
    try {
      if (settings.waitUntil !== undefined) settings.waitUntil(work, received.request);
      else received.waitUntil?.(work);
    } catch (error) {
      tellFailure(error, delivery);
    }
  }
}

/** How long a commit is repeated, and the first and the longest pause between two tries. In milliseconds. */
const [recordingTime, firstPause, longestPause] = [300_000, 250, 5_000];

/** In milliseconds: 15 minutes. */
const defaultHandlerTimeout = 900_000;

/** The part of the deadline after which handlers that are not done are slow. */
const slowAfter = 0.8;
