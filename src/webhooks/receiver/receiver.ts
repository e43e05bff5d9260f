import type { WebhookEvent } from '../../contract/delivery.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import { notify } from '../../foundation/listeners.js';
import { checkOptions, milliseconds } from '../../foundation/options.js';
import type { DedupeClaim } from '../dedupe/dedupe-store.js';
import { WebhookVerificationError } from '../verification/verification-error.js';
import { stalled } from './body-faults.js';
import { Delivery } from './delivery.js';
import { type DeliveryClaim, DeliveryClaims, deliveryKey, ownDeliveryKey } from './delivery-claim.js';
import { ReceiverDeadlineError, ReceiverError, RefusedRequestError } from './errors.js';
import type { ReceivedRequest, ReceiverCore, ReceiverResponse } from './exchange.js';
import { HandlerContext, Handlers } from './handlers.js';
import type {
  AnyEventHandler,
  DuplicateDelivery,
  RefusalError,
  WebhookEventOf,
  WebhookHandler,
  WebhookReceiverOptions,
} from './receiver-options.js';
import { createRefusalWarnings, type SignatureMismatch } from './refusal-warnings.js';
import {
  acknowledged,
  failed,
  isRefusal,
  onLastConnection,
  responseToFailure,
  responseToRefusal,
  unavailable,
} from './responses.js';
import { readSettings } from './settings.js';
import { countUnverifiedBytes } from './unverified-bytes.js';
import { askForSecrets, checkBeforeReading, verifyDelivery } from './verify-delivery.js';
import { atMost, letResponsesBeWritten, within } from './waits.js';
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
  return new Receiver(options);
}

/** How long a commit is repeated, and the first and the longest pause between two tries. In milliseconds. */
const [recordingTime, firstPause, longestPause] = [300_000, 250, 5_000];

/** The core of every receiver. Its fields are private at run time, because they contain the secret. */
class Receiver<Request> implements ReceiverCore<Request> {
  readonly #settings: ReturnType<typeof readSettings<Request>>;
  readonly #handlers: Handlers<Request>;
  readonly #warnOfRefusal: ReturnType<typeof createRefusalWarnings>;
  /** `undefined` with `dedupe: false`. */
  readonly #claims: DeliveryClaims | undefined;
  readonly #inProgress = new WorkInProgress<Request>();
  readonly #unverified: ReturnType<typeof countUnverifiedBytes<Request>>;
  #isDraining = false;

  constructor(options: WebhookReceiverOptions<Request>) {
    this.#settings = readSettings(options);
    this.#unverified = countUnverifiedBytes(this.#settings.maxBodyBytes, (delivery, error) =>
      delivery.respondWith(this.#responseToError(error, delivery)),
    );
    const { dedupe, lease, ttl } = this.#settings;
    this.#claims = dedupe === false ? undefined : new DeliveryClaims(dedupe, { lease, ttl });
    this.#handlers = new Handlers(options.onUnknownEvent);
    this.#warnOfRefusal = createRefusalWarnings(this.#settings.clock);
  }

  on<Type extends WebhookEventType>(
    type: Type,
    handler: WebhookHandler<WebhookEventOf<Type>, Request>,
  ): this {
    this.#handlers.add(type, handler);
    return this;
  }

  onAny(handler: AnyEventHandler<Request>): this {
    this.#handlers.addToAll(handler);
    return this;
  }

  async drain(options: DrainOptions = {}): Promise<readonly UnfinishedDelivery<Request>[]> {
    checkOptions('drain', options, { timeout: milliseconds(0) });
    const { timeout = 8_000 } = options;
    this.#isDraining = true;
    const unfinished = await this.#inProgress.settle(this.#settings.clock, timeout);
    await letResponsesBeWritten();
    return unfinished;
  }

  async receive(received: ReceivedRequest<Request>): Promise<ReceiverResponse> {
    const { clock, deadline } = this.#settings;
    const delivery = new Delivery(received, clock.now() + deadline);
    this.#inProgress.beginResponding(delivery);
    const work = this.#takeThroughSteps(delivery);
    const response = await this.#respondInTime(delivery);
    if (delivery.state.step === 'responded' && delivery.state.isEarly) this.#keepPlatformUp(delivery, work);
    const written = () => this.#inProgress.endResponding(delivery);
    if (received.onWritten === undefined) written();
    else received.onWritten(written);
    return this.#isDraining ? onLastConnection(response) : response;
  }

  async process(job: unknown, request?: Request): Promise<void> {
    const { clock, secret, deadline, handlerTimeout, onDuplicate } = this.#settings;
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
    const { event, secretIndex } = verifyDelivery(rawBody, signature, secrets, {
      ...this.#settings,
      tolerance: false,
    });
    const details = { request: received.request, secretIndex };
    const delivery = new Delivery<Request>(received, clock.now());
    this.#inProgress.beginHandling(delivery, Number.POSITIVE_INFINITY);
    try {
      const claim = this.#claims?.of(key);
      if (
        claim &&
        (await this.#claimJob(claim, delivery, event, { state: 'in_progress', ...details })) === 'done'
      ) {
        notify(() => onDuplicate?.(event, { state: 'done', ...details }));
        return;
      }
      const context = new HandlerContext({ rawBody, ...details }, clock, Number.POSITIVE_INFINITY);
      delivery.moveTo({ step: 'handling', event, context });
      const failures: unknown[] = [];
      await this.#handle(delivery, event, context, claim, {
        timeout: handlerTimeout,
        onFailure: (error) => failures.push(error),
      });
      if (failures.length > 0) throw failures[0];
    } finally {
      this.#inProgress.endHandling(delivery);
    }
  }

  /**
   * Takes one delivery through its steps, from its headers to its response. Awaits only promises, and never rejects. When the time is up,
   * the delivery gets `#lateResponse`, and the next step does not start, except that a claim may come late.
   */
  async #takeThroughSteps(delivery: Delivery<Request>): Promise<void> {
    const { received } = delivery;
    const { request } = received;
    const { clock, secret, maxBodyBytes, dedupeKey, acknowledge, enqueue, onDuplicate } = this.#settings;
    let signed: SignatureMismatch | undefined;
    try {
      if (this.#isDraining) throw new RefusedRequestError('draining', draining);
      const signature = checkBeforeReading(received, maxBodyBytes);
      const hold = (bytes: number) => this.#unverified.hold(delivery, bytes);
      const body = received.readBody(maxBodyBytes, hold);
      const rawBody = ArrayBuffer.isView(body) ? body : await body;

      if (!delivery.moveTo({ step: 'verifying' })) return;
      const secrets = typeof secret === 'function' ? await askForSecrets(secret, request) : secret;
      signed = { rawBody, signature, secrets };
      const verified = verifyDelivery(rawBody, signature, secrets, this.#settings);
      const { event, secretIndex } = verified;
      this.#unverified.release(delivery);

      if (!delivery.moveTo({ step: 'claiming', event })) return;
      this.#inProgress.beginHandling(delivery, this.#settings.maxConcurrent);
      const context = new HandlerContext({ request, rawBody, secretIndex }, clock, delivery.respondBy);
      if (acknowledge === 'after-claim') context.haveNoDeadline();
      const duplicate = { request, secretIndex };
      const keyOf = () =>
        dedupeKey === undefined
          ? deliveryKey(event, verified.secret, signature)
          : ownDeliveryKey(dedupeKey(event, context));
      if (enqueue !== undefined) {
        const job = jobOf({ rawBody, signature, secretIndex }, keyOf(), clock.now());
        if (!delivery.moveTo({ step: 'handling', event, context })) return;
        return await this.#handOver(delivery, async () => enqueue(job, context));
      }
      const claim = this.#claims?.of(keyOf());
      const claimed =
        claim && (await this.#claim(claim, delivery, event, { state: 'in_progress', ...duplicate }));
      if (claimed === 'in_progress') return; // until its time was up
      if (claimed === 'done') {
        if (!delivery.hasResponse) notify(() => onDuplicate?.(event, { state: claimed, ...duplicate }));
        return delivery.respondWith(acknowledged);
      }

      const isInTime = delivery.moveTo({ step: 'handling', event, context });
      // The sender got 503, and no attempt may be left that finds it free.
      if (!isInTime && !(this.#mayClaimLate(delivery) && this.#inProgress.keepHandling(delivery))) {
        return await claim?.release();
      }
      if (acknowledge === 'after-claim') delivery.respondWith(acknowledged, true);
      if (!isInTime) context.haveNoDeadline();
      await this.#handle(delivery, event, context, claim, {
        timeout: this.#settings.handlerTimeout ?? defaultHandlerTimeout,
        onFailure: (error) => this.#tellFailure(error, delivery),
      });
    } catch (error) {
      delivery.respondWith(this.#responseToError(error, delivery, signed));
    } finally {
      this.#unverified.release(delivery);
      this.#inProgress.endHandling(delivery);
    }
  }

  /** Passes a verified delivery to the queue, and responds. Never rejects. */
  async #handOver(delivery: Delivery<Request>, enqueue: () => Promise<unknown>): Promise<void> {
    try {
      await enqueue();
      delivery.respondWith(acknowledged);
    } catch (error) {
      this.#tellFailure(error, delivery);
      delivery.respondWith(unavailable);
    }
  }

  /** Claims the delivery of a job, within one lease. */
  #claimJob(
    claim: DeliveryClaim,
    delivery: Delivery<Request>,
    event: WebhookEvent,
    duplicateOf: DuplicateDelivery<Request>,
  ): Promise<DedupeClaim> {
    const { clock, lease } = this.#settings;
    const claiming = this.#claim(claim, delivery, event, duplicateOf);
    return within(clock, lease, claiming, async () => {
      const { state } = delivery;
      delivery.respondWith(unavailable); // ends the claiming
      claiming.then((found) => (found === 'claimed' ? claim.release() : undefined)).catch(() => {});
      if (state.step === 'claiming' && state.failure !== undefined) throw state.failure;
      if (state.step === 'claiming' && state.duplicateOf !== undefined) throw heldByAnother(lease);
      throw new ReceiverDeadlineError('dedupe', lease);
    });
  }

  /**
   * Claims a delivery. While another attempt has it or the store fails, tries again: the other attempt may fail or its process be dead,
   * or the store be back, and attempts are few. After the response it does so for one lease, by which the claim of a dead process ends.
   */
  async #claim(
    claim: DeliveryClaim,
    delivery: Delivery<Request>,
    event: WebhookEvent,
    duplicateOf: DuplicateDelivery<Request>,
  ): Promise<DedupeClaim> {
    try {
      for (;;) {
        const found = await claim.begin().catch((error: unknown) => {
          if (error instanceof ReceiverError) throw error;
          return { failure: error };
        });
        if (found === 'claimed' || found === 'done') return found;
        const reason = found === 'in_progress' ? { duplicateOf } : found;
        delivery.moveTo({ step: 'claiming', event, ...reason });
        await claim.change(this.#settings.clock);
        if (delivery.hasResponse && !this.#mayClaimLate(delivery)) return 'in_progress';
      }
    } finally {
      claim.abandon();
    }
  }

  #mayClaimLate({ respondBy }: Delivery<Request>): boolean {
    const { clock, lease } = this.#settings;
    return !this.#isDraining && clock.now() < respondBy + lease;
  }

  /**
   * Runs the handlers, settles the claim, and responds. Never rejects.
   *
   * @param limits How long the handlers may take, in milliseconds, and what learns of their error.
   */
  async #handle(
    delivery: Delivery<Request>,
    event: WebhookEvent,
    context: HandlerContext<Request>,
    claim: DeliveryClaim | undefined,
    limits: { readonly timeout: number | undefined; readonly onFailure: (error: unknown) => void },
  ): Promise<void> {
    const { clock, onHandled } = this.#settings;
    const report = (error: unknown) => this.#tellFailure(error, delivery);
    try {
      const running = this.#handlers.run(event, context);
      claim?.keepRenewing(clock, report);
      await (limits.timeout === undefined ? running : this.#handlersInTime(running, context, limits.timeout));
    } catch (error) {
      claim?.stopRenewing();
      limits.onFailure(error);
      delivery.moveTo({ step: 'handling', event, context, outcome: failed });
      // A claim that cannot be released expires.
      if (claim !== undefined) await this.#confirmedByStore(claim.release()).catch(report);
      return delivery.respondWith(failed);
    }
    delivery.moveTo({ step: 'handling', event, context, outcome: acknowledged });
    if (claim === undefined || (await this.#record(claim, delivery, report))) {
      notify(() => onHandled?.(event, context));
    }
    claim?.stopRenewing();
    delivery.respondWith(acknowledged);
  }

  /** Waits for the handlers, at most until the timeout. */
  #handlersInTime(running: Promise<void>, context: HandlerContext<Request>, timeout: number): Promise<void> {
    return within(this.#settings.clock, timeout, running, async () => {
      context.isGivenUp = true;
      context.abort();
      throw new ReceiverError(
        'handler_timeout',
        `The handlers of a delivery were not done within ${timeout} ms, so its claim was given up. ` +
          'Let them end when context.signal aborts, or raise handlerTimeout.',
      );
    });
  }

  /**
   * Records that a delivery was handled, and returns whether that succeeded. If the store fails, the sender gets its response, because
   * another attempt would be handled twice; the receiver renews the claim and repeats the commit for some minutes.
   */
  async #record(
    claim: DeliveryClaim,
    delivery: Delivery<Request>,
    report: (error: unknown) => void,
  ): Promise<boolean> {
    const { clock } = this.#settings;
    const giveUpAt = clock.now() + recordingTime;
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      try {
        await this.#confirmedByStore(claim.commit());
        return true;
      } catch (error) {
        if (pause === firstPause) report(error);
        if (clock.now() + pause > giveUpAt) return false;
        claim.keepRenewing(clock, report);
        delivery.respondWith(acknowledged, true);
        await new Promise<void>((resolve) => clock.setTimer(resolve, pause));
      }
    }
  }

  /** Waits for the store, at most for the time of a lease. */
  #confirmedByStore(work: Promise<void>): Promise<void> {
    const { clock, lease } = this.#settings;
    return within(clock, lease, work, async () => {
      throw new ReceiverError(
        'store_fault',
        `The dedupe store did not respond within ${lease} ms whether it remembers a delivery that was handled, or gave ` +
          'up one that failed. Check that the store is up and near.',
      );
    });
  }

  /** Returns the response to a delivery that was refused or failed. */
  #responseToError(
    error: unknown,
    delivery: Delivery<Request>,
    signed?: SignatureMismatch,
  ): ReceiverResponse {
    if (!isRefusal(error)) {
      this.#tellFailure(error, delivery);
      return responseToFailure(error);
    }
    // A refusal after the response changes nothing, and a hook was already called for the delivery.
    if (!delivery.hasResponse) this.#tellRefusal(error, delivery, signed);
    return responseToRefusal(error);
  }

  #tellFailure(error: unknown, { received: { request }, event, response }: Delivery<Request>): void {
    const { onError } = this.#settings;
    const failure = { request, event, willBeRetried: response !== acknowledged };
    notify(() => onError(error, failure));
  }

  /**
   * Adds advice to a signature that does not match if the body arrived as text, because decoding may have changed the signed bytes. A
   * forged signature looks the same, so the response does not change.
   */
  #tellRefusal(error: RefusalError, { received }: Delivery<Request>, signed?: SignatureMismatch): void {
    const { onRefused } = this.#settings;
    const isMismatch = error.reason === 'signature_mismatch';
    const advice = isMismatch ? received.adviceOnDecodedBody?.() : undefined;
    if (onRefused === undefined) {
      this.#warnOfRefusal(error, isMismatch ? signed : undefined, advice);
      return;
    }
    const advised =
      advice === undefined
        ? error
        : new WebhookVerificationError('signature_mismatch', `${error.message} ${advice}`);
    notify(() => onRefused(advised, received.request));
  }

  #tellIfSlow({ state }: Delivery<Request>): boolean {
    if (state.step !== 'handling' || state.outcome !== undefined) return false;
    const { onSlowHandler } = this.#settings;
    notify(() => onSlowHandler?.(state.event, state.context));
    return true;
  }

  /** Returns the response of a delivery, or the late response of its step if the time is up first. */
  #respondInTime(delivery: Delivery<Request>): Promise<ReceiverResponse> {
    const { clock, deadline } = this.#settings;
    const warnAfter = slowAfter * deadline;
    return within(clock, warnAfter, delivery.responded, () => {
      const isSlowTold = this.#tellIfSlow(delivery);
      const end = () => {
        if (!isSlowTold) this.#tellIfSlow(delivery);
        delivery.respondWith(this.#lateResponse(delivery), true);
        return delivery.responded;
      };
      const left = Math.min(delivery.respondBy - clock.now(), deadline - warnAfter);
      return left > 0 ? atMost(clock, left, delivery.responded, end) : end();
    });
  }

  /**
   * Returns the response to a delivery whose time is up. Work in progress continues: the claim, and the handlers.
   */
  #lateResponse(delivery: Delivery<Request>): ReceiverResponse {
    const { state } = delivery;
    const { clock, deadline, lease, whenSlow, onDuplicate } = this.#settings;
    switch (state.step) {
      case 'reading':
        return this.#responseToError(stalled(deadline), delivery);
      case 'verifying':
        this.#tellFailure(new ReceiverDeadlineError('secret', deadline), delivery);
        return unavailable;
      case 'claiming': {
        const { event, duplicateOf, failure } = state;
        this.#inProgress.endHandlingWithin(delivery, clock, lease);
        if (duplicateOf !== undefined) notify(() => onDuplicate?.(event, duplicateOf));
        else this.#tellFailure(failure ?? new ReceiverDeadlineError('dedupe', deadline), delivery);
        return unavailable;
      }
      case 'handling':
        if (state.outcome !== undefined) return state.outcome;
        if (whenSlow === 'acknowledge') return acknowledged;
        state.context.abort();
        return unavailable;
      case 'responded':
        return state.response;
    }
  }

  /** Keeps the platform from ending the process before the work is done. */
  #keepPlatformUp(delivery: Delivery<Request>, work: Promise<unknown>): void {
    const { received } = delivery;
    try {
      if (this.#settings.waitUntil !== undefined) this.#settings.waitUntil(work, received.request);
      else received.waitUntil?.(work);
    } catch (error) {
      this.#tellFailure(error, delivery);
    }
  }
}

/** In milliseconds: 15 minutes. */
const defaultHandlerTimeout = 900_000;

function heldByAnother(lease: number): ReceiverError {
  return new ReceiverError(
    'in_progress',
    `A job was not processed, because another worker held its delivery for ${lease} ms. Let the queue give the job out again later, ` +
      'and only when the first worker is done or dead: raise the time for which a job is hidden from other workers.',
  );
}

/** The part of the deadline after which handlers that are not done are slow. */
const slowAfter = 0.8;

const draining = 'The receiver accepts no more deliveries, because drain() was called.';
