import { signatureHeader } from '../../contract/delivery.js';
import type { ReceiverAddresses } from '../service/address-policy.js';
import {
  type Attempt,
  type AttemptResult,
  describe,
  followingRedirects,
  orAborted,
  ReceivedResponse,
  type Sender,
} from './sender.js';

/**
 * Sends with `fetch`, for a custom `fetch` and for platforms without Node's HTTP. By default, a redirect is a failure, because
 * the subscription names the endpoint.
 */
export function createFetchSender(
  fetch: typeof globalThis.fetch,
  receiverAddresses: ReceiverAddresses,
): Sender {
  async function exchange({ url, body, signature }: Attempt, signal: AbortSignal): Promise<AttemptResult> {
    let received: ReceivedResponse | undefined;
    try {
      signal.throwIfAborted();
      const asked = fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', [signatureHeader]: signature },
        body,
        redirect: 'manual',
        signal,
      });
      const response = await orAborted(signal, asked);
      received = new ReceivedResponse(response.status, response.headers);
      await orAborted(signal, received.read(response.body ?? []));
      return received.result();
    } catch (error) {
      return received?.brokenOff(describe(error)) ?? { error: describe(error) };
    }
  }

  return {
    send: (attempt, signal) =>
      followingRedirects(attempt, receiverAddresses, (request) => exchange(request, signal)),
    close() {}, // fetch keeps its connections itself
  };
}
