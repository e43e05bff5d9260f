import { signatureHeader } from '../../contract/delivery.js';
import type { Bytes } from '../../foundation/bytes.js';
import type { Clock } from '../../foundation/clock.js';
import type { FetchFunction } from '../../foundation/fetch-function.js';
import { onAbort } from '../../foundation/listeners.js';
import { verifyWebhook } from '../../webhooks/verification/verify.js';
import type { ReceiverMode } from '../model/receiver.js';

/**
 * Creates a receiver inside the server, one for each workspace. A delivery reaches it as an HTTP request without a network, so it has
 * no address that anyone else could call.
 *
 * @param modeNow - Returns how it responds now.
 * @param secretsOf - Returns the secrets of the subscriptions that deliver to it.
 * @param timeout - The timeout of an attempt, in milliseconds.
 */
export function createBuiltInReceiver(
  modeNow: () => ReceiverMode,
  secretsOf: () => Promise<readonly string[]>,
  machine: Clock,
  timeout: number,
): FetchFunction<Bytes> {
  /** Does not end if the attempt ends first. */
  function afterTimeout(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => onAbort(signal, machine.setTimer(resolve, timeout + 1_000)));
  }

  return async (url, init) => {
    const mode = modeNow();
    const request = new Request(url, init);
    const body = new Uint8Array(await request.arrayBuffer());
    const secrets = mode === 'wrong_secret' ? ['whsec_of_no_subscription'] : await secretsOf();
    if (secrets.length === 0)
      return new Response('No subscription delivers to this receiver.', { status: 410 });
    if (!verifyWebhook(body, request.headers.get(signatureHeader), secrets)) {
      return new Response('The signature does not match.', { status: 401 });
    }
    if (mode === 'error') return new Response('My handler failed.', { status: 500 });
    if (mode === 'late') await afterTimeout(request.signal);
    return new Response('Verified.');
  };
}
