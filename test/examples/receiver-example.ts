import { signatureHeader, signWebhook } from 'messaging-automation/webhooks';
import { expect } from 'vitest';
import { messageDelivery } from '../webhooks/delivery-body.js';

export const secret = 'whsec_example';

/** What each example prints of the delivery that it handles. */
export const printed = `${messageDelivery.data.contactId}: ${messageDelivery.data.body}`;

/** Sends an example a delivery of no signature, which it refuses, and one that was signed. `send` gives the status. */
export async function expectReceiver(
  send: (body: string, headers: Record<string, string>) => Promise<number>,
) {
  const body = JSON.stringify({ ...messageDelivery, timestamp: new Date().toISOString() });
  const headers = { 'Content-Type': 'application/json', [signatureHeader]: signWebhook(body, secret) };
  expect(await send(body, { ...headers, [signatureHeader]: '0'.repeat(64) })).toBe(401);
  expect(await send(body, headers)).toBe(204);
}
