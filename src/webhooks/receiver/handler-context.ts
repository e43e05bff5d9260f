import type { Clock } from '../../foundation/clock.js';
import type { WebhookContext } from './webhook-handler.js';

/** A class, because an object with getters of its own for each delivery costs as much as parsing the delivery. */
export class HandlerContext<Request> implements WebhookContext<Request> {
  readonly request: Request;
  readonly rawBody: Uint8Array;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #answerBy: number;
  #controller: AbortController | undefined;
  #isAborted = false;

  /** @param answerBy - In milliseconds since the Unix epoch; `Infinity` where the sender has its answer already. */
  constructor(request: Request, rawBody: Uint8Array, clock: Pick<Clock, 'now'>, answerBy: number) {
    this.request = request;
    this.rawBody = rawBody;
    this.#clock = clock;
    this.#answerBy = answerBy;
  }

  get remaining(): number {
    return Math.max(0, this.#answerBy - this.#clock.now());
  }

  /** Made at the first use: few handlers look at it, and it costs more than everything else here. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Tells the handlers to stop. */
  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}
