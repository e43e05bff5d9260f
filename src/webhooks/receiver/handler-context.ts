import type { Clock } from '../../foundation/clock.js';
import type { WebhookContext } from './webhook-handler.js';

/** A class, because creating an object with its own getters for each delivery takes as long as parsing the delivery. */
export class HandlerContext<Request> implements WebhookContext<Request> {
  readonly request: Request;
  readonly rawBody: Uint8Array;
  readonly secretIndex: number;
  readonly #clock: Pick<Clock, 'now'>;
  /** In milliseconds since the Unix epoch. `Infinity` if the receiver answers before the handlers start. */
  #answerBy: number;
  #controller: AbortController | undefined;
  #isAborted = false;
  #isGivenUp = false;

  constructor(
    { request, rawBody, secretIndex }: Pick<WebhookContext<Request>, 'request' | 'rawBody' | 'secretIndex'>,
    clock: Pick<Clock, 'now'>,
    answerBy: number,
  ) {
    this.request = request;
    this.rawBody = rawBody;
    this.secretIndex = secretIndex;
    this.#clock = clock;
    this.#answerBy = answerBy;
  }

  /** Whether the receiver gave up the delivery, so that no further handler starts. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  get remaining(): number {
    return Math.max(0, this.#answerBy - this.#clock.now());
  }

  /** Created at the first use, because few handlers need it and it is the most expensive part. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Says that the sender has its answer, so that the handlers have no deadline. */
  haveNoDeadline(): void {
    this.#answerBy = Number.POSITIVE_INFINITY;
  }

  /** Aborts the signal, and starts no further handler. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.abort();
  }

  /** Aborts the signal. */
  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}
