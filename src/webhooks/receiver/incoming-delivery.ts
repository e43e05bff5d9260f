import type { WebhookEvent } from '../../contract/delivery.js';
import { momentOf } from '../../contract/timestamp.js';
import { after, isLater } from '../../foundation/at-once.js';
import { steersFramework } from '../../foundation/steering.js';
import type { DedupeClaim } from '../dedupe/dedupe-store.js';
import { contactGroup } from '../order/contact-group.js';
import type { ContactTurn } from '../order/turns.js';
import type { WebhookSecret } from '../verification/secret.js';
import { DeliveryClaim, notClaimed } from './delivery-claim.js';
import { nameInStore, ownNameInStore, scopeOf } from './delivery-key.js';
import { checkEnqueued } from './enqueue-result.js';
import { ReceiverDeadlineError, ReceiverError, UnreadableBodyError } from './errors.js';
import type { ReceiverResponse } from './exchange.js';
import { HandlerContext } from './handler-context.js';
import type { DeliveryNote } from './last-delivery.js';
import { defaultHandlerTime, type Origin } from './origin.js';
import type { ReceiverParts } from './parts.js';
import { PendingResponse } from './pending-response.js';
import type { SignatureMismatch } from './refusal-warnings.js';
import { acknowledged, busy, failed, isRefusal, responsesToRefusals, unavailable } from './responses.js';
import type { UnverifiedDelivery } from './unverified-bytes.js';
import { askForSecrets, type SignedBytes, verifyDelivery } from './verify-delivery.js';
import { jobOf } from './webhook-job.js';
import type { DeliveryInProgress, DeliveryStep } from './work-in-progress.js';

/** What is known of a delivery once it is verified. */
interface VerifiedDelivery<Request> {
  readonly event: WebhookEvent;
  readonly context: HandlerContext<Request>;
  readonly secret: WebhookSecret;
  readonly signature: string;
  readonly note: DeliveryNote;
}

/**
 * One attempt of a delivery. It passes through these steps in their order:
 *
 * 1. `#read`: the headers are checked, and the body arrives.
 * 2. `#verify`: the signature, the age and the shape are checked.
 * 3. `#claim`: the attempt gets the delivery for itself, so that no other attempt handles it at the same time, or again.
 * 4. `#takeTurn`: with `inOrder`, it waits for earlier deliveries of its contact.
 * 5. `#handle`: the handlers run, while the claim is renewed. Then the delivery is recorded as handled.
 *
 * The sender gets its response at the end of a step, or before if the time is up: see `respondInTime`.
 *
 * With `enqueue`, `#handOver` replaces the last three steps. A job of a queue passes through the same steps; what differs is in
 * its {@link Origin}. A step returns a promise only if it is not done at once.
 */
export class IncomingDelivery<Request> implements DeliveryInProgress<Request>, UnverifiedDelivery {
  readonly #origin: Origin<Request>;
  readonly #parts: ReceiverParts<Request>;
  /** When it arrived, by the steady time of the clock. */
  readonly #arrival: number;
  readonly #sent = new PendingResponse();
  #step: DeliveryStep = 'reading';
  /** Set when no further step may start. */
  #isOver = false;
  #signed: SignedBytes | undefined;
  /** Those that the signature was compared with. */
  #secrets: SignatureMismatch['secrets'] | undefined;
  #verified: VerifiedDelivery<Request> | undefined;
  #claim: DeliveryClaim | undefined;
  #turn: ContactTurn | undefined;
  #leaving: void | Promise<void> = undefined;
  /** The response to send, once the handlers are done and only the claim remains to be settled. */
  #outcome: ReceiverResponse | undefined;

  constructor(origin: Origin<Request>, parts: ReceiverParts<Request>) {
    this.#origin = origin;
    this.#parts = parts;
    this.#arrival = parts.waits.now();
  }

  /** Takes the delivery through its steps. Never rejects. */
  async takeThroughSteps(): Promise<void> {
    const steps = this.#origin.isHandedOver
      ? [this.#read, this.#verify, this.#handOver]
      : [this.#read, this.#verify, this.#claimDelivery, this.#takeTurn, this.#handle];
    try {
      for (const step of steps) {
        const underWay = step.call(this);
        if (underWay !== undefined) await underWay;
        if (this.#isOver) return;
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.#parts.unverified.release(this);
      const leaving = this.#leaveTurn();
      if (leaving !== undefined) await leaving;
      this.#parts.inProgress.endHandling(this);
    }
  }

  #read(): void | Promise<void> {
    return after(this.#origin.read(this), (signed) => {
      this.#signed = signed;
    });
  }

  #verify(): void | Promise<void> {
    this.#step = 'verifying';
    const { secret } = this.#parts.settings;
    if (typeof secret !== 'function') return this.#verifyWith(secret);
    const asking = askForSecrets(secret, this.#origin.received.request);
    return this.#origin.boundSecret(asking).then((secrets) => this.#verifyWith(secrets));
  }

  #verifyWith(secrets: WebhookSecret | readonly WebhookSecret[]): void {
    if (this.#isOver || this.#signed === undefined) return;
    const { rawBody, signature } = this.#signed;
    const { received, verification, deadline } = this.#origin;
    const { notes, settings, unverified, waits } = this.#parts;
    this.#secrets = secrets;
    const { event, secret, secretIndex } = verifyDelivery(rawBody, signature, secrets, verification);
    unverified.release(this);
    const { dedupeKey } = settings;
    const nameOf = (context: HandlerContext<Request>) =>
      dedupeKey === undefined
        ? nameInStore({ event, secret, signature })
        : ownNameInStore(dedupeKey(event, context));
    const details = { request: received.request, rawBody, secretIndex };
    const context = new HandlerContext(details, nameOf, waits, this.#arrival + deadline);
    this.#verified = { event, context, secret, signature, note: notes.add(event, settings.clock) };
  }

  #handOver(): void | Promise<void> {
    this.#step = 'claiming';
    this.#parts.inProgress.beginHandling(this, this.#origin.maxConcurrent);
    const { settings } = this.#parts;
    const { context, signature } = this.#known;
    const job = jobOf(context, { signature, group: this.#contactGroup(), now: settings.clock.now() });
    this.#step = 'handling';
    const accept = (result: unknown) => {
      checkEnqueued(result);
      this.#acknowledge('handed_over');
    };
    const refuse = (error: unknown) => {
      this.#reportEnd(error);
      this.#sent.give(unavailable);
    };
    try {
      const enqueued = settings.enqueue?.(job, context);
      if (isLater(enqueued)) return Promise.resolve(enqueued).then(accept).catch(refuse);
      accept(enqueued);
    } catch (error) {
      refuse(error);
    }
  }

  #claimDelivery(): void | Promise<void> {
    this.#step = 'claiming';
    const { store, claimTime, maxConcurrent } = this.#origin;
    this.#parts.inProgress.beginHandling(this, maxConcurrent);
    if (store === undefined) return;
    const { nameInStore } = this.#known.context;
    const claim = new DeliveryClaim(this.#parts.claims, store, nameInStore, (error) => this.report(error));
    this.#claim = claim;
    this.#joinTurns(claim);
    const found = claim.obtain(claimTime, () => this.#mayStillHandle());
    return after(found, (result) => this.#endClaiming(claim, result));
  }

  #endClaiming(claim: DeliveryClaim, found: DedupeClaim): void | Promise<void> {
    if (found === 'claimed' && this.#mayStillHandle()) return;
    this.#isOver = true;
    if (found === 'claimed') return claim.release();
    if (found === 'done') {
      const { event, context } = this.#known;
      if (!this.hasResponse) this.#parts.hooks.duplicate(event, context, 'done');
      this.#acknowledge('duplicate');
    } else if (!this.hasResponse) {
      this.fail(notClaimed(claim, this.#origin.claimTime));
    }
  }

  /** A delivery that has its response is left to the next attempt if the process is to end. */
  #mayStillHandle(): boolean {
    return !this.hasResponse || !this.#parts.isDraining;
  }

  /** Joins the deliveries of its contact, whose record is read beside the claim. */
  #joinTurns({ name, holder }: DeliveryClaim): void {
    const { turns } = this.#parts;
    const group = turns && this.#contactGroup();
    if (turns === undefined || group === undefined) return;
    const timestamp = momentOf(this.#known.event.timestamp) ?? 0;
    this.#turn = turns.join(group, { timestamp, key: name, holder });
    if (this.#turn === undefined) throw tooManyOfContact();
    this.#turn.prefetch();
  }

  #takeTurn(): void | Promise<void> {
    if (this.#turn === undefined) return;
    this.#step = 'waiting';
    const begun = this.#turn.begin();
    if (!isLater(begun)) return this.#endWaiting(begun);
    this.#claim?.keepRenewing();
    const { handlerTime = defaultHandlerTime } = this.#origin;
    const inTime = this.#parts.waits.atMost(handlerTime, begun, () => {
      throw this.#turn?.failure ?? outOfTurn(handlerTime);
    });
    return inTime.then(
      (hasTurn) => this.#endWaiting(hasTurn),
      (error) => {
        this.#isOver = true;
        return this.#endFailed(error);
      },
    );
  }

  #endWaiting(hasTurn: boolean): void | Promise<void> {
    if (hasTurn) this.#known.context.isLate = this.#turn?.isLate === true;
    else this.#isOver = true;
    return hasTurn ? undefined : this.#claim?.release();
  }

  /** Lets another process handle a delivery that waits for its turn, if its sender has its response. */
  giveUpWaiting(): void {
    if (this.#step === 'waiting' && this.hasResponse) this.#leaveTurn();
  }

  #leaveTurn(): void | Promise<void> {
    this.#leaving ??= this.#turn?.leave({ handled: this.#outcome === acknowledged });
    return this.#leaving;
  }

  #contactGroup(): string | undefined {
    const { event, secret } = this.#known;
    return contactGroup(event, scopeOf(secret));
  }

  #handle(): void | Promise<void> {
    this.#step = 'handling';
    const { event, context } = this.#known;
    // The claim came late. The sender has its response, and no attempt may be left that finds the delivery free.
    if (this.hasResponse) context.haveNoDeadline();
    try {
      const running = this.#parts.handlers.run(event, context);
      if (!isLater(running)) return this.#endHandled();
      this.#claim?.keepRenewing();
      return this.#inTime(running).then(
        () => this.#endHandled(),
        (error) => this.#endFailed(error),
      );
    } catch (error) {
      return this.#endFailed(error);
    }
  }

  /** Waits for the handlers, at most for their time. */
  #inTime(running: Promise<void>): Promise<void> {
    const { handlerTime } = this.#origin;
    if (handlerTime === undefined) return running;
    return this.#parts.waits.atMost(handlerTime, running, () => {
      this.#known.context.isGivenUp = true;
      this.#known.context.abort();
      throw new ReceiverError(
        'handler_timeout',
        `The handlers of a delivery were not done within ${handlerTime} ms, so its claim was released. ` +
          'Let them end when context.signal aborts, or raise handlerTimeout.',
      );
    });
  }

  #endHandled(): void | Promise<void> {
    this.#outcome = acknowledged;
    // Another attempt would be handled twice, so the sender gets its response even if the store fails.
    const recorded =
      this.#claim?.record((error) => {
        this.report(error);
        this.#sent.give(acknowledged, true);
        this.#leaveTurn();
      }) ?? true;
    return after(recorded, (isRecorded) => {
      const { event, context } = this.#known;
      if (isRecorded) this.#parts.hooks.handled(event, context);
      this.#acknowledge('handled');
    });
  }

  async #endFailed(error: unknown): Promise<void> {
    this.#outcome = failed;
    this.#reportEnd(error);
    await this.#claim?.release();
    this.#respond(failed);
  }

  #acknowledge(outcome: DeliveryNote['outcome']): void {
    this.#known.note.outcome = outcome;
    this.#respond(acknowledged);
  }

  /** Responds, and hands the turn over: on a platform that stops processes after the response, that is work which outlives it. */
  #respond(response: ReceiverResponse): void {
    this.#sent.give(response, isLater(this.#leaveTurn()));
  }

  /** Ends the delivery with an error: a refusal, which anyone can cause, or a failure on the receiver's side. */
  fail(error: unknown): void {
    this.#isOver = true;
    if (isRefusal(error) && this.#origin.onFailure === undefined) {
      // A refusal after the response changes nothing, and a hook was already called for the delivery.
      if (!this.hasResponse) this.#parts.hooks.refused(error, this.#origin.received, this.#mismatch());
      this.#sent.give(responsesToRefusals[error.reason]);
      return;
    }
    this.#reportEnd(error);
    this.#sent.give(error instanceof ReceiverError && error.reason === 'overloaded' ? busy : failed);
  }

  /** For the diagnosis of a signature that does not match. */
  #mismatch(): SignatureMismatch | undefined {
    if (this.#signed === undefined || this.#secrets === undefined) return undefined;
    return { ...this.#signed, secrets: this.#secrets };
  }

  /** Reports the failure that ends the delivery: to its queue, or to `onError`. */
  #reportEnd(error: unknown): void {
    if (this.#verified !== undefined) this.#verified.note.outcome = 'failed';
    const { onFailure } = this.#origin;
    if (onFailure === undefined) this.report(error);
    else onFailure(error);
  }

  /** Reports a failure to `onError`. */
  report(error: unknown): void {
    const { request, onSteering } = this.#origin.received;
    const willBeRetried = (this.#sent.given ?? this.#outcome) !== acknowledged;
    this.#parts.hooks.failed(error, { request, event: this.event, willBeRetried });
    if (willBeRetried && !this.hasResponse && steersFramework(error)) onSteering?.(error);
  }

  /** Waits for the response, at most until the deadline. */
  respondInTime(): ReceiverResponse | Promise<ReceiverResponse> {
    const { given } = this.#sent;
    if (given !== undefined) return given;
    let isSlowTold = false;
    const tellIfSlow = () => {
      if (isSlowTold || this.#step !== 'handling' || this.#outcome !== undefined) return;
      isSlowTold = true;
      this.#parts.hooks.slow(this.#known.event, this.#known.context);
    };
    return this.#sent.within(this.#origin.deadline, {
      waits: this.#parts.waits,
      arrival: this.#arrival,
      onSlow: tellIfSlow,
      late: () => {
        tellIfSlow();
        return this.#lateResponse();
      },
    });
  }

  /** Returns the response to a delivery whose time is up. The claim and the handlers continue. */
  #lateResponse(): ReceiverResponse {
    const { deadline } = this.#origin;
    if (this.#outcome !== undefined) return this.#outcome;
    if (this.#step === 'reading') {
      this.#letBodyGo();
      // A refusal and not a failure, because the sender is not verified yet. Only verified senders may cause alarms.
      const message = `The body had not arrived ${deadline} ms after its headers. The sender, or something in between, is slow.`;
      this.fail(new UnreadableBodyError('stalled', message));
    } else if (this.#step === 'verifying') {
      this.#letBodyGo();
      this.report(new ReceiverDeadlineError('secret', deadline));
    } else if (this.#step === 'claiming') {
      this.#tellUnclaimed(deadline);
    } else if (this.#step === 'waiting') {
      if (this.#turn?.failure !== undefined) this.report(this.#turn.failure);
      if (this.#parts.isDraining) this.#leaveTurn();
    } else {
      this.#known.context.abort();
    }
    return unavailable;
  }

  /** Ends a delivery that is not verified, and keeps no bytes of it: what it waits for may never come. */
  #letBodyGo(): void {
    this.#isOver = true;
    this.#signed = undefined;
    this.#parts.unverified.release(this);
  }

  #tellUnclaimed(deadline: number): void {
    const { event, context } = this.#known;
    const obstacle = this.#claim?.obstacle;
    if (obstacle === 'in_progress') this.#parts.hooks.duplicate(event, context, obstacle);
    else this.report(obstacle?.failure ?? new ReceiverDeadlineError('dedupe', deadline));
  }

  get step(): DeliveryStep {
    return this.#step;
  }

  get request(): Request {
    return this.#origin.received.request;
  }

  /** The event. `undefined` before it is verified. */
  get event(): WebhookEvent | undefined {
    return this.#verified?.event;
  }

  get hasResponse(): boolean {
    return this.#sent.given !== undefined;
  }

  /** Whether the sender got its response before all work was done. */
  get isEarly(): boolean {
    return this.#sent.isEarly;
  }

  get #known(): VerifiedDelivery<Request> {
    if (this.#verified === undefined) throw new TypeError('A step ran before the delivery was verified.');
    return this.#verified;
  }
}

function tooManyOfContact(): ReceiverError {
  return new ReceiverError(
    'overloaded',
    'A delivery got 503, because so many others of its contact wait for their turn that they take a quarter of maxConcurrent. Raise ' +
      'maxConcurrent, let the handlers do less, or put the deliveries into a queue with enqueue.',
  );
}

function outOfTurn(time: number): ReceiverError {
  return new ReceiverError(
    'out_of_turn',
    `A delivery was not handled, because this or another process did not end the earlier ones of its contact within ${time} ms. ` +
      'Let the handlers do less, or raise handlerTimeout.',
  );
}
