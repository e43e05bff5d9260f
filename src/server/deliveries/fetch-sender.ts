import { signatureHeader } from '../../contract/delivery.js';
import { answerLimit } from '../model/journal-entry.js';
import type { ReceiverAddresses } from '../service/address-policy.js';
import {
  type Answered,
  type AnswerHead,
  type Attempt,
  type AttemptResult,
  describe,
  followingRedirects,
  headOf,
  orAborted,
  resultOf,
  type Sender,
} from './sender.js';

/**
 * Sends with `fetch`, for a custom `fetch` and for platforms without Node's HTTP. By default, a redirect is a failure, because
 * the subscription names the endpoint.
 */
export class FetchSender implements Sender {
  readonly #fetch: typeof globalThis.fetch;
  readonly #receiverAddresses: ReceiverAddresses;

  constructor(fetch: typeof globalThis.fetch, receiverAddresses: ReceiverAddresses) {
    this.#fetch = fetch;
    this.#receiverAddresses = receiverAddresses;
  }

  send(attempt: Attempt, signal: AbortSignal): Promise<AttemptResult> {
    return followingRedirects(attempt, this.#receiverAddresses, (request) => this.#exchange(request, signal));
  }

  close(): void {} // fetch keeps its connections itself

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
