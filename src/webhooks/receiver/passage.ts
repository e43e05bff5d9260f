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
  /** The answer, once the handlers are done. */
  verdict: ReceiverAnswer | undefined;
  /** Whether it was answered with a 2xx before the handlers were done. */
  isAcknowledged = false;

  constructor(received: ReceivedRequest<Request>, deadline: AnswerDeadline) {
    this.received = received;
    this.deadline = deadline;
  }

  contextWith(rawBody: Uint8Array): WebhookContext<Request> {
    const { deadline, isAcknowledged } = this;
    this.context = {
      request: this.received.request,
      rawBody,
      get remaining() {
        return isAcknowledged ? Number.POSITIVE_INFINITY : deadline.remaining;
      },
      get signal() {
        return deadline.signal;
      },
    };
    return this.context;
  }
}
