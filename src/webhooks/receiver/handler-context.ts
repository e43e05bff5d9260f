import type { Clock } from '../../foundation/clock.js';
import type { WebhookContext } from './webhook-handler.js';

interface HandlerContextParts<Request>
  extends Pick<WebhookContext<Request>, 'request' | 'rawBody' | 'secretIndex'> {
  readonly clock: Pick<Clock, 'now'>;
  /** In milliseconds since the Unix epoch; `Infinity` where the sender gets its answer before the handlers start. */
  readonly answerBy: number;
}

/** A class, because an object with getters of its own for each delivery costs as much as parsing the delivery. */
export class HandlerContext<Request> implements WebhookContext<Request> {
  readonly request: Request;
  readonly rawBody: Uint8Array;
  readonly secretIndex: number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #answerBy: number;
  #controller: AbortController | undefined;
  #isAborted = false;
  #isGivenUp = false;

  constructor({ request, rawBody, secretIndex, clock, answerBy }: HandlerContextParts<Request>) {
    this.request = request;
    this.rawBody = rawBody;
    this.secretIndex = secretIndex;
    this.#clock = clock;
    this.#answerBy = answerBy;
  }

  /** Whether the delivery was given up, so that no further handler is to start. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
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

  /** Tells the handlers to stop, and lets none of them start. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.abort();
  }

  /** Tells the handlers to stop. */
  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}
