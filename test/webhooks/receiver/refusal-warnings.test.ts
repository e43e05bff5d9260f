import {
  diagnoseWebhook,
  signTestDelivery,
  signWebhook,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { bytesOf, message, receiverOf, requestOf, secret } from './receive.js';

let warn: MockInstance<typeof process.emitWarning>;

beforeEach(() => {
  warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  return () => warn.mockRestore();
});

const warnings = () => warn.mock.calls.map(([text, name]) => `${name}: ${text}`);

const silent = (options: Partial<WebhookReceiverOptions<string>> = {}) =>
  receiverOf({ onRefused: undefined, ...options });

const warningOf = (reason: string, text: string) =>
  `MessagingAutomationRefusal: A webhook request was refused (${reason}). ${text} ` +
  'This warning appears once per cause. Set onRefused to see each refusal.';

/** What a message whose signature does not match is found to suffer from, the likeliest first. */
function findingsOf(body: unknown, secrets: string | readonly string[]): readonly string[] {
  const bytes = bytesOf(body);
  const { findings } = diagnoseWebhook(bytes, signWebhook(bytes, secret), secrets);
  return findings.map(({ explanation, advice }) => `${explanation} ${advice}`);
}

test.each<[string, string | readonly string[], RegExp]>([
  ['a newline at its end', `${secret}\n`, /white space.*around the secret/],
  ['no prefix', secret.replace('whsec_', ''), /lacks its prefix/],
  [
    'nothing to do with the sender',
    'whsec_other',
    /with another secret\. Each subscription has its own secret/,
  ],
])('a secret with %s is diagnosed once, on the process', async (_, given, told) => {
  const { status } = silent({ secret: given });
  for (const expected of [401, 401]) expect(await status(message)).toBe(expected);
  const findings = findingsOf(message, given).join(' ');
  expect(findings).toMatch(told);
  expect(warnings()).toEqual([
    warningOf('signature_mismatch', `The delivery has a signature that does not match. ${findings}`),
  ]);
});

test('a stranger with a wrong signature does not hide what a diagnosis proves of the sender', async () => {
  const { clock, status } = silent({ secret: `${secret}\n` });
  const stranger = { headers: { 'x-service-signature': signWebhook('another body', 'whsec_stranger') } };
  for (let request = 0; request < 10; request += 1) await status(message, stranger);
  await status(message); // one too many for this minute
  expect(warnings()).toEqual([
    expect.stringContaining('with another secret. Each subscription has its own secret'),
  ]);

  clock.pass(60_000);
  await status(message);
  expect(warnings()).toEqual([
    expect.stringContaining('with another secret. Each subscription has its own secret'),
    expect.stringMatching(/white space.*around the secret/),
  ]);
});

test('a body of more than 4 kB is not diagnosed unasked, and the warning says where to ask', async () => {
  const { status } = silent({ secret: `${secret}\n` });
  await status({ ...message, padding: 'x'.repeat(4_096) });
  expect(warnings()).toEqual([expect.stringMatching(/refused \(signature_mismatch\)/)]);
  expect(warnings()[0]).not.toMatch(/white space/);
});

test('each reason is warned of once, with what to do', async () => {
  const { clock, status } = silent();
  const day = 24 * 3_600_000;
  for (const _ of [1, 2]) {
    await status(message, { method: 'GET' });
    await status(message, { headers: {} });
    await status({ ...message, timestamp: new Date(clock.now() + day).toISOString() });
    await status({ ...message, timestamp: new Date(clock.now() - 2 * day).toISOString() });
  }
  expect(warnings()).toEqual([
    expect.stringMatching(/refused \(wrong_method\).*not a POST/),
    expect.stringMatching(/refused \(missing_signature\).*no X-Service-Signature/),
    expect.stringMatching(/refused \(too_new\).*86400000 ms ahead of this clock/),
    expect.stringMatching(/refused \(too_old\).*172800000 ms old/),
  ]);
});

test('nothing is warned of where onRefused is set, nor of refusals while draining', async () => {
  const { status } = receiverOf({ secret: 'whsec_other' });
  expect(await status(message)).toBe(401);
  const drained = silent();
  await drained.receiver.drain();
  expect(await drained.status(message)).toBe(503);
  expect(warnings()).toEqual([]);
});

test('no warning holds the secret, the signature, the body or a phone', async () => {
  const canary = 'whsec_canary4711';
  const delivery = signTestDelivery({ secret: canary, event: 'message.received' });
  const body = new Uint8Array(await delivery.toRequest().arrayBuffer());
  const { receiver, status } = silent({ secret: `${canary} ` });
  const signature = signWebhook(body, canary);
  const headers = { 'x-service-signature': signature };
  await receiver.receive(requestOf(body, { headers }));
  await status('{"phone":"+15551234567"', { headers: { 'x-service-signature': 'sha256=canary4711' } });
  expect(warn).toHaveBeenCalledTimes(2);
  expect(warnings().join()).not.toMatch(/canary|\+1555|5551234|[0-9a-f]{32}/);
  expect(JSON.stringify(receiver)).toBe('{}');
});
