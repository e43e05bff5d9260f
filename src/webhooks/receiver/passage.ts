import type { WebhookEvent } from '../../contract/delivery.js';
import type { AnswerDeadline } from './answer-deadline.js';
import type { ReceivedRequest, ReceiverAnswer } from './exchange.js';
import type { ReceiverStage } from './receiver-deadline-error.js';
import type { WebhookContext } from './webhook-handler.js';

/** How far one request has come on its way through a receiver. */
export class Passage<Request> {
  readonly received: ReceivedRequest<Request>;
  readonly deadline: AnswerDeadline;
  /** What it is waiting for. */
  stage: ReceiverStage | 'handlers' = 'body';
  /** The event, once it was verified. */
  event: WebhookEvent | undefined;
  /** What the handlers are told, once they started. */
  context: WebhookContext<Request> | undefined;
  /** The answer that is due, once the handlers are done. */
  verdict: ReceiverAnswer | undefined;
  /** The same, once nothing is left to do. */
  answer: ReceiverAnswer | undefined;
  /** Whether it was answered with a 2xx before the handlers were done. */
  isAcknowledged = false;

  constructor(received: ReceivedRequest<Request>, deadline: AnswerDeadline) {
    this.received = received;
    this.deadline = deadline;
  }

  contextWith(rawBody: Uint8Array): WebhookContext<Request> {
    this.context = new HandlerContext(this.received.request, rawBody, this.deadline, this.isAcknowledged);
    return this.context;
  }
}

/** A class, because an object made with getters of its own each time would cost as much as parsing. */
class HandlerContext<Request> implements WebhookContext<Request> {
  readonly request: Request;
  readonly rawBody: Uint8Array;
  readonly #deadline: AnswerDeadline;
  readonly #isAnswered: boolean;

  constructor(request: Request, rawBody: Uint8Array, deadline: AnswerDeadline, isAnswered: boolean) {
    this.request = request;
    this.rawBody = rawBody;
    this.#deadline = deadline;
    this.#isAnswered = isAnswered;
  }

  get remaining(): number {
    return this.#isAnswered ? Number.POSITIVE_INFINITY : this.#deadline.remaining;
  }

  get signal(): AbortSignal {
    return this.#deadline.signal;
  }
}
