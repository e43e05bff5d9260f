import { signatureHeader, type WebhookEvent } from '../../contract/delivery.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { WebhookSecret } from '../verification/secret.js';
import { readSignature, type WebhookSignature } from '../verification/signature.js';
import { unwrapWebhook } from '../verification/unwrap.js';
import { refusedSignature, WebhookVerificationError } from '../verification/verification-error.js';
import { AnswerDeadline } from './answer-deadline.js';
import {
  acknowledged,
  answerToRefused,
  answerToUnreadable,
  failed,
  isFaultOfSetUp,
  methodNotAllowed,
  unavailable,
} from './answers.js';
import { keepRenewing } from './claim-renewal.js';
import { type DeliveryClaim, DeliveryClaims } from './delivery-claims.js';
import type { ReceivedRequest, ReceiverAnswer, ReceiverCore } from './exchange.js';
import { Handlers } from './handlers.js';
import { Passage } from './passage.js';
import { receivedHeader } from './received-header.js';
import { ReceiverDeadlineError } from './receiver-deadline-error.js';
import type { SecretOfRequest, WebhookReceiverOptions } from './receiver-options.js';
import { Reports } from './reports.js';
import { readSettings } from './settings.js';
import { UnreadableBodyError } from './unreadable-body-error.js';
import type { WebhookEventOf, WebhookHandler } from './webhook-handler.js';

const signatureHeaderName = signatureHeader.toLowerCase();

/** The core of every receiver. Its fields are private at run time too: they hold the secret. */
export class Receiver<Request> implements ReceiverCore<Request> {
  readonly #options: WebhookReceiverOptions<Request>;
  readonly #settings: ReturnType<typeof readSettings<Request>>;
  readonly #handlers: Handlers<Request>;
  readonly #reports: Reports<Request>;
  /** None where nothing is to be remembered. */
  readonly #claims: DeliveryClaims | undefined;

  constructor(options: WebhookReceiverOptions<Request>) {
    this.#options = options;
    this.#settings = readSettings(options);
    const { dedupe, lease, ttl } = this.#settings;
    this.#claims = dedupe === false ? undefined : new DeliveryClaims(dedupe, { lease, ttl });
    this.#handlers = new Handlers(options.onUnknownEvent);
    this.#reports = new Reports(options);
  }

  on<Type extends WebhookEventType>(
    type: Type,
    handler: WebhookHandler<WebhookEventOf<Type>, Request>,
  ): this {
    this.#handlers.add(type, handler);
    return this;
  }

  async receive(received: ReceivedRequest<Request>): Promise<ReceiverAnswer> {
    if (received.method !== 'POST') return methodNotAllowed;
    const { clock, deadline } = this.#settings;
    const passage = new Passage(received, new AnswerDeadline(clock, deadline));
    const work = this.#process(passage);
    // A timer would cost more than all else here, so it is set only for what is not done by the next turn.
    if (passage.answer === undefined) await undefined;
    return passage.answer ?? (await passage.deadline.bound(work, () => this.#answerLate(passage, work)));
  }

  /** All of the way. Waits only where there is something to wait for, and never rejects. */
  async #process(passage: Passage<Request>): Promise<ReceiverAnswer> {
    try {
      const { received, deadline } = passage;
      const body = received.readBody(this.#settings.maxBodyBytes);
      const rawBody = ArrayBuffer.isView(body) ? body : await body;
      const signature = receivedHeader(received.headers, signatureHeaderName);
      const { secret } = this.#options;
      const secrets = typeof secret === 'function' ? await this.#ask(secret, signature, passage) : secret;
      const event = this.#unwrap(rawBody, signature, secrets);
      passage.event = event;
      // The service was told to send it again, so it is left to that attempt.
      if (deadline.isOver) return unavailable;
      passage.stage = 'dedupe';
      const claim = this.#claims && (await this.#claims.claim(rawBody, event));
      if (claim === 'done') return acknowledged;
      if (claim === 'in_progress') return unavailable;
      if (deadline.isOver) {
        await claim?.release();
        return unavailable;
      }
      passage.isAcknowledged = this.#settings.acknowledge === 'after-claim';
      const handling = this.#handle(passage, event, rawBody, claim);
      if (!passage.isAcknowledged) return passage.answer ?? (await handling);
      this.#outlive(passage, handling);
      return acknowledged;
    } catch (error) {
      passage.answer = this.#answerTo(error, passage);
      return passage.answer;
    }
  }

  #unwrap(
    rawBody: Uint8Array,
    signature: WebhookSignature,
    secrets: WebhookSecret | readonly WebhookSecret[],
  ): WebhookEvent {
    const { maxBodyBytes } = this.#settings;
    if (rawBody.byteLength > maxBodyBytes) {
      throw new UnreadableBodyError('too_large', `The body has more than ${maxBodyBytes} bytes.`);
    }
    return unwrapWebhook(rawBody, signature, secrets, this.#options);
  }

  async #ask(secret: SecretOfRequest<Request>, signature: WebhookSignature, passage: Passage<Request>) {
    // Who sends junk is not worth a look into a database.
    if (readSignature(signature) === undefined) throw refusedSignature(signature);
    passage.stage = 'secret';
    const found = await secret(passage.received.request);
    if (found !== undefined && found !== null && !(Array.isArray(found) && found.length === 0)) return found;
    throw new WebhookVerificationError(
      'signature_mismatch',
      'The delivery is for a subscription of which no secret is known. Keep the secret that the service gave ' +
        'when the subscription was made.',
    );
  }

  async #handle(
    passage: Passage<Request>,
    event: WebhookEvent,
    rawBody: Uint8Array,
    claim: DeliveryClaim | undefined,
  ): Promise<ReceiverAnswer> {
    passage.stage = 'handlers';
    const report = (error: unknown) => this.#reportFailure(error, passage);
    try {
      const running = this.#handlers.run(event, passage.contextWith(rawBody));
      if (running !== undefined) await this.#whileRenewing(claim, running, report);
      passage.verdict = acknowledged;
    } catch (error) {
      passage.verdict = failed;
      report(error);
    }
    // The verdict stands whatever becomes of the claim: what was handled was, and a claim left over ends by itself.
    if (claim !== undefined) {
      await (passage.verdict === failed ? claim.release() : claim.commit()).catch(report);
    }
    passage.answer = passage.verdict;
    return passage.answer;
  }

  async #whileRenewing(
    claim: DeliveryClaim | undefined,
    running: Promise<void>,
    report: (error: unknown) => void,
  ): Promise<void> {
    if (claim === undefined) return running;
    const { lease, clock } = this.#settings;
    const stop = keepRenewing(claim, lease, clock, report);
    return running.finally(stop);
  }

  #answerTo(error: unknown, passage: Passage<Request>): ReceiverAnswer {
    const { request } = passage.received;
    if (error instanceof WebhookVerificationError) {
      this.#reports.refused(error, request);
      return answerToRefused(error.reason);
    }
    if (error instanceof UnreadableBodyError && !isFaultOfSetUp(error)) {
      this.#reports.refused(error, request);
      return answerToUnreadable(error);
    }
    this.#reportFailure(error, passage);
    return failed;
  }

  /** The answer when the time is up. The work goes on, if only to clean up. */
  #answerLate(passage: Passage<Request>, work: Promise<unknown>): ReceiverAnswer {
    this.#outlive(passage, work);
    const { stage, verdict, event, context } = passage;
    if (verdict !== undefined) return verdict;
    if (stage !== 'handlers') {
      this.#reportFailure(new ReceiverDeadlineError(stage, this.#settings.deadline), passage);
      return unavailable;
    }
    if (event !== undefined && context !== undefined) this.#reports.slow(event, context);
    passage.isAcknowledged = this.#settings.whenSlow === 'acknowledge';
    if (passage.isAcknowledged) return acknowledged;
    passage.deadline.abort();
    return unavailable;
  }

  #outlive(passage: Passage<Request>, work: Promise<unknown>): void {
    const { request, waitUntil } = passage.received;
    try {
      if (this.#options.waitUntil !== undefined) this.#options.waitUntil(work, request);
      else waitUntil?.(work);
    } catch (error) {
      this.#reportFailure(error, passage);
    }
  }

  #reportFailure(error: unknown, { received, event, isAcknowledged, verdict }: Passage<Request>): void {
    const willBeRetried = !isAcknowledged && verdict !== acknowledged;
    this.#reports.failed(error, { request: received.request, event, willBeRetried });
  }
}
