import {
  signWebhook,
  type UnwrapWebhookOptions,
  unwrapWebhook,
  unwrapWebhookAsync,
  WebhookVerificationError,
} from 'messaging-automation/webhooks';
import { expect } from 'vitest';
import { clockAt, secret } from './delivery-body.js';

/** Signs a body and unwraps it by both functions, which must agree. Gives the event or the error. */
export async function unwrapBoth(
  body: string | Uint8Array,
  options: UnwrapWebhookOptions = {},
  signature: string | null | readonly string[] | undefined = signWebhook(body, secret),
): Promise<unknown> {
  const withClock = { clock: clockAt(), ...options };
  const sync = outcome(() => unwrapWebhook(body, signature, secret, withClock));
  const async = await unwrapWebhookAsync(body, signature, secret, withClock).catch((error) => error);
  expect(async).toEqual(sync);
  return sync;
}

/** The error that both functions refuse a body with. */
export async function refusal(...args: Parameters<typeof unwrapBoth>): Promise<WebhookVerificationError> {
  const error = await unwrapBoth(...args);
  if (error instanceof WebhookVerificationError) return error;
  throw new Error('was not refused', { cause: error });
}

/** What a function returns or throws. */
export function outcome(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
