import { signatureHeader } from '../../contract/delivery.js';
import { onAbort } from '../../foundation/abort-listeners.js';
import type { Clock } from '../../foundation/clock.js';
import { answerLimit } from '../model/delivery.js';
import type { ReceiverAddresses } from '../service/address-policy.js';
import { type Answered, followingRedirects } from './redirects.js';
import {
  type AnswerHead,
  type Attempt,
  type AttemptResult,
  closed,
  describe,
  headOf,
  resultOf,
  type Sender,
  timed,
} from './sender.js';

/**
 * Sends with `fetch`, for a custom `fetch` and for platforms without Node's HTTP. The timeout covers everything from the DNS
 * lookup to the end of the response. By default, a redirect is a failure, because the subscription names the endpoint.
 */
export class FetchSender implements Sender {
  readonly #fetch: typeof globalThis.fetch;
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #receiverAddresses: ReceiverAddresses;
  /** The running attempts. A shared signal would keep a reference to each of them forever. */
  readonly #underWay = new Set<AbortController>();
  #closed = false;

  constructor(
    fetch: typeof globalThis.fetch,
    clock: Clock,
    timeout: number,
    receiverAddresses: ReceiverAddresses,
  ) {
    this.#fetch = fetch;
    this.#clock = clock;
    this.#timeout = timeout;
    this.#receiverAddresses = receiverAddresses;
  }

  async send(attempt: Attempt): Promise<AttemptResult> {
    const underWay = new AbortController();
    if (this.#closed) underWay.abort(closed());
    this.#underWay.add(underWay);
    const cancelTimer = this.#clock.setTimer(
      () => underWay.abort(new Error(`no complete answer within ${this.#timeout / 1000} s`)),
      this.#timeout,
    );
    const startedAt = this.#clock.now();
    try {
      const result = await followingRedirects(attempt, this.#receiverAddresses, (request) =>
        this.#exchange(request, underWay.signal),
      );
      return timed(result, startedAt, this.#clock.now());
    } finally {
      cancelTimer();
      this.#underWay.delete(underWay);
    }
  }

  close(): void {
    this.#closed = true;
    for (const underWay of this.#underWay) underWay.abort(closed());
  }

  async #exchange({ url, body, signature }: Attempt, signal: AbortSignal): Promise<Answered> {
    let head: AnswerHead | undefined;
    try {
      signal.throwIfAborted();
      const asked = this.#fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', [signatureHeader]: signature },
        body,
        redirect: 'manual',
        signal,
      });
      const response = await orAborted(signal, asked);
      head = headOf(response.status, response.headers.get('date'));
      const answer = await orAborted(signal, readBeginning(response));
      return { result: resultOf(head, answer), location: response.headers.get('location') };
    } catch (error) {
      return { result: { ...head, error: describe(error) } };
    }
  }
}

/** Waits for work that may ignore the signal. */
function orAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    work.then(resolve, reject).finally(leave);
  });
}

/** Reads the response up to the limit and cancels the rest. */
async function readBeginning(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk.subarray(0, answerLimit - length), { stream: true });
    length += chunk.byteLength;
    if (length >= answerLimit) break;
  }
  return text + decoder.decode();
}
