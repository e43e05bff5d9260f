import { signatureHeader, type WebhookEvent } from '../../contract/delivery.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { WebhookSecret } from '../verification/secret.js';
import { readSignature, type WebhookSignature } from '../verification/signature.js';
import { unwrapWebhook } from '../verification/unwrap.js';
import { refusedSignature, WebhookVerificationError } from '../verification/verification-error.js';
import {
  acknowledged,
  answerToRefusal,
  failed,
  isRefusal,
  methodNotAllowed,
  unavailable,
} from './answers.js';
import { keepRenewing } from './claim-renewal.js';
import { withAdviceOnDecodedBody } from './decoded-body.js';
import { Delivery } from './delivery.js';
import { type DeliveryClaim, DeliveryClaims } from './delivery-claims.js';
import type { ReceivedRequest, ReceiverAnswer, ReceiverCore } from './exchange.js';
import { HandlerContext } from './handler-context.js';
import { Handlers } from './handlers.js';
import { Hooks } from './hooks.js';
import { receivedHeader } from './received-header.js';
import { ReceiverDeadlineError } from './receiver-deadline-error.js';
import type { SecretOfRequest, WebhookReceiverOptions } from './receiver-options.js';
import { readSettings } from './settings.js';
import { UnreadableBodyError } from './unreadable-body-error.js';
import type { WebhookEventOf, WebhookHandler } from './webhook-handler.js';

const signatureHeaderName = signatureHeader.toLowerCase();

/** The core of every receiver. Its fields are private at run time too: they hold the secret. */
export class Receiver<Request> implements ReceiverCore<Request> {
  readonly #options: WebhookReceiverOptions<Request>;
  readonly #settings: ReturnType<typeof readSettings<Request>>;
  readonly #handlers: Handlers<Request>;
  readonly #hooks: Hooks<Request>;
  /** None with `dedupe: false`. */
  readonly #claims: DeliveryClaims | undefined;

  constructor(options: WebhookReceiverOptions<Request>) {
    this.#options = options;
    this.#settings = readSettings(options);
    const { dedupe, lease, ttl } = this.#settings;
    this.#claims = dedupe === false ? undefined : new DeliveryClaims(dedupe, { lease, ttl });
    this.#handlers = new Handlers(options.onUnknownEvent);
    this.#hooks = new Hooks(options);
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
    const delivery = new Delivery(received, clock.now() + deadline);
    const work = this.#takeThroughSteps(delivery);
    // A timer costs more than everything else here, so only what is not done by the next turn gets one.
    if (delivery.state.step !== 'answered') await undefined;
    const { state } = delivery;
    const answer = state.step === 'answered' ? state.answer : await this.#answerInTime(delivery);
    if (delivery.state.step === 'answered' && delivery.state.isEarly) this.#keepPlatformUp(delivery, work);
    return answer;
  }

  /**
   * The steps of one delivery, from its first byte to its answer. Waits only where there is something to wait for, and
   * never rejects. Where the time is up meanwhile, `#lateAnswer` is given and the next step is not taken.
   */
  async #takeThroughSteps(delivery: Delivery<Request>): Promise<void> {
    try {
      const { received } = delivery;
      const body = received.readBody(this.#settings.maxBodyBytes);
      const rawBody = ArrayBuffer.isView(body) ? body : await body;

      if (!delivery.moveTo({ step: 'verifying' })) return;
      const signature = receivedHeader(received.headers, signatureHeaderName);
      const { secret } = this.#options;
      const secrets = typeof secret === 'function' ? await this.#ask(secret, signature, received) : secret;
      const event = this.#unwrap(rawBody, signature, secrets);

      if (!delivery.moveTo({ step: 'claiming', event })) return;
      const claim = this.#claims && (await this.#claims.claim(rawBody, event));
      if (claim === 'done') return delivery.answerWith(acknowledged);
      if (claim === 'in_progress') return delivery.answerWith(unavailable);

      const isFirst = this.#settings.acknowledge === 'after-handlers';
      const answerBy = isFirst ? delivery.answerBy : Number.POSITIVE_INFINITY;
      const context = new HandlerContext(received.request, rawBody, this.#settings.clock, answerBy);
      if (!delivery.moveTo({ step: 'handling', event, context })) return await claim?.release();
      if (!isFirst) delivery.answerWith(acknowledged, true);
      const outcome = await this.#handle(delivery, event, context, claim);
      delivery.answerWith(outcome);
    } catch (error) {
      delivery.answerWith(this.#answerToError(error, delivery));
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

  async #ask(
    secret: SecretOfRequest<Request>,
    signature: WebhookSignature,
    { request }: ReceivedRequest<Request>,
  ): Promise<WebhookSecret | readonly WebhookSecret[]> {
    // A request without a well-formed signature is not worth a look into a database.
    if (readSignature(signature) === undefined) throw refusedSignature(signature);
    const found = await secret(request);
    if (found !== undefined && found !== null && !(Array.isArray(found) && found.length === 0)) return found;
    throw new WebhookVerificationError(
      'signature_mismatch',
      'The delivery is for a subscription of which no secret is known. Keep the secret that the service gave ' +
        'when the subscription was made.',
    );
  }

  /** Runs the handlers, then settles the claim. Never rejects. */
  async #handle(
    delivery: Delivery<Request>,
    event: WebhookEvent,
    context: HandlerContext<Request>,
    claim: DeliveryClaim | undefined,
  ): Promise<ReceiverAnswer> {
    const report = (error: unknown) => this.#hooks.failed(error, delivery);
    let outcome = acknowledged;
    try {
      const running = this.#handlers.run(event, context);
      if (running !== undefined) await this.#whileRenewing(claim, running, report);
    } catch (error) {
      outcome = failed;
      report(error);
    }
    // The outcome stands even if the claim cannot be settled: a claim that is left over ends by itself.
    delivery.moveTo({ step: 'handling', event, context, outcome });
    if (claim !== undefined) await (outcome === failed ? claim.release() : claim.commit()).catch(report);
    return outcome;
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

  /** The answer to a delivery that was refused, or for which something failed. */
  #answerToError(error: unknown, delivery: Delivery<Request>): ReceiverAnswer {
    if (!isRefusal(error)) {
      this.#hooks.failed(error, delivery);
      return failed;
    }
    // A refusal that comes after the answer changes nothing, and a hook knows of the delivery already.
    if (delivery.state.step !== 'answered') {
      this.#hooks.refused(withAdviceOnDecodedBody(error, delivery.received), delivery);
    }
    return answerToRefusal(error);
  }

  /** The answer of a delivery, or, when its time is up first, the one that its step calls for. */
  #answerInTime(delivery: Delivery<Request>): Promise<ReceiverAnswer> {
    const { clock, deadline } = this.#settings;
    return new Promise((resolve) => {
      const cancelTimer = clock.setTimer(
        () => delivery.answerWith(this.#lateAnswer(delivery), true),
        deadline,
      );
      delivery.onAnswer((answer) => {
        cancelTimer();
        resolve(answer);
      });
    });
  }

  /**
   * The answer to a delivery whose time is up. What is under way goes on: the handlers, or giving up a claim that comes
   * late.
   */
  #lateAnswer(delivery: Delivery<Request>): ReceiverAnswer {
    const { state } = delivery;
    if (state.step === 'answered') return state.answer;
    if (state.step !== 'handling') {
      this.#hooks.failed(new ReceiverDeadlineError(waitedFor[state.step], this.#settings.deadline), delivery);
      return unavailable;
    }
    if (state.outcome !== undefined) return state.outcome;
    this.#hooks.slow(state.event, state.context);
    if (this.#settings.whenSlow === 'acknowledge') return acknowledged;
    state.context.abort();
    return unavailable;
  }

  /** Keeps the platform from ending the process while there is work left. */
  #keepPlatformUp(delivery: Delivery<Request>, work: Promise<unknown>): void {
    const { request, waitUntil } = delivery.received;
    try {
      if (this.#options.waitUntil !== undefined) this.#options.waitUntil(work, request);
      else waitUntil?.(work);
    } catch (error) {
      this.#hooks.failed(error, delivery);
    }
  }
}

const waitedFor = { reading: 'body', verifying: 'secret', claiming: 'dedupe' } as const;
