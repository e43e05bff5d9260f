import { signatureHeader } from '../../contract/delivery.js';
import type { Clock } from '../../foundation/clock.js';
import { onAbort } from '../../foundation/listeners.js';
import { verifyWebhook } from '../../webhooks/verification/verify.js';
import type { ReceiverMode } from '../model/receiver.js';

export interface BuiltInReceiverOptions {
  /** Returns the secrets of the subscriptions that deliver to it. */
  readonly secrets: () => Promise<readonly string[]>;
  readonly machine: Clock;
  /** The timeout of an attempt, in milliseconds. */
  readonly timeout: number;
}

/**
 * A receiver inside the server, one for each workspace. A delivery reaches it as an HTTP request without a network, so it has no
 * address that anyone else could call.
 */
export class BuiltInReceiver {
  mode: ReceiverMode = 'verify';
  readonly #options: BuiltInReceiverOptions;

  constructor(options: BuiltInReceiverOptions) {
    this.#options = options;
  }

  /** Receives a delivery. Takes the place of `fetch`. */
  readonly receive: typeof globalThis.fetch = async (input, init) => {
    const { mode } = this;
    const request = new Request(input, init);
    const body = new Uint8Array(await request.arrayBuffer());
    const secrets = mode === 'wrong_secret' ? ['whsec_of_no_subscription'] : await this.#options.secrets();
    if (secrets.length === 0) return new Response('No subscription delivers to me.', { status: 410 });
    if (!verifyWebhook(body, request.headers.get(signatureHeader), secrets)) {
      return new Response('The signature does not match.', { status: 401 });
    }
    if (mode === 'error') return new Response('My handler failed.', { status: 500 });
    if (mode === 'late') await this.#afterTimeout(request.signal);
    return new Response('Verified.');
  };

  /** Does not end if the attempt ends first. */
  #afterTimeout(signal: AbortSignal): Promise<void> {
    const { machine, timeout } = this.#options;
    return new Promise((resolve) => onAbort(signal, machine.setTimer(resolve, timeout + 1_000)));
  }
}
