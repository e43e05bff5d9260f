import { createWebhookReceiver, signWebhook, toNodeHandler } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { messageBody, messageDelivery, secret } from '../../delivery-body.js';
import { maxBodyBytes } from '../support/faults.js';
import { describeMatrix } from '../support/matrix.js';
import { delivery, type Sent, withSignatures, wrongSignature } from '../support/sent.js';
import { listeningSite, type Subject } from '../support/subject.js';
import { decodingSubjects } from './decoding-subjects.js';

describeMatrix('Adapter × fault: bodies that came as text', decodingSubjects);

/** Sends something to a framework that keeps text, and gives what came of it. */
async function exchange(subject: Subject, sent: Sent) {
  const handled: string[] = [];
  const told: unknown[] = [];
  const tell = (error: unknown) => void told.push(error);
  const receiver = createWebhookReceiver({
    secret,
    maxBodyBytes,
    tolerance: false,
    onError: tell,
    onRefused: tell,
  });
  receiver.on('message.received', (event) => handled.push(event.data.body));
  const site = await subject.open(receiver, 'plain');
  const seen = await site?.send(sent);
  await site?.close();
  return { seen, handled, told };
}

const switches: Readonly<Record<string, string>> = {
  'fastify-raw-body': 'fastify-raw-body with encoding: false',
  "Fastify, parseAs: 'string'": "parseAs: 'buffer'",
  'koa-bodyparser': 'context.disableBodyParser = true',
  'Express, verify': 'request.rawBody = bytes',
  'Express, text': 'express.raw({ type: () => true })',
};

describe.each(decodingSubjects)('$name', (subject) => {
  test('a text that encodes to the signed bytes is handled as it was sent', async () => {
    const { seen, handled, told } = await exchange(subject, delivery());

    expect([seen, handled, told]).toEqual([204, [messageDelivery.data.body], []]);
  });

  test.each([
    ['a forged signature', withSignatures(delivery(), wrongSignature)],
    // What is lost to decoding: other bytes decode to the same text.
    ['bytes that are not UTF-8', delivery(notUtf8())],
  ])('%s is refused, and the message names the switch that keeps the bytes', async (_, sent) => {
    const { seen, handled, told } = await exchange(subject, sent);

    expect([seen, handled]).toEqual([401, []]);
    expect(told).toMatchObject([
      {
        reason: 'signature_mismatch',
        message: expect.stringContaining(switches[subject.name] ?? 'no switch'),
      },
    ]);
  });
});

/** node:http behind something that keeps this in place of the body. */
const keeping = (rawBody: unknown): Subject => ({
  name: 'node:http',
  open: (receiver) =>
    listeningSite(async (request, response) => {
      for await (const _ of request);
      await toNodeHandler(receiver)(Object.assign(request, { rawBody }), response);
    }),
});

test('the message about bytes that do not verify says nothing of text', async () => {
  const { seen, told } = await exchange(keeping(Buffer.from('{}')), delivery());

  expect(seen).toBe(401);
  expect(told).toMatchObject([{ message: expect.not.stringContaining('as text') }]);
});

test('a text is too large by its bytes', async () => {
  const statusOf = async (text: string) => (await exchange(keeping(text), delivery())).seen;

  expect(await statusOf('x'.repeat(maxBodyBytes + 1))).toBe(413);
  expect(await statusOf('ü'.repeat(maxBodyBytes / 2 + 1))).toBe(413);
  expect(await statusOf('ü'.repeat(maxBodyBytes / 2))).toBe(401);
});

test('what is handled is parsed from the bytes that were verified, and not from the text', async () => {
  const text = messageBody.replace('Grüße', '\uD83D'); // half of a surrogate pair encodes as U+FFFD
  const sent = withSignatures(delivery(), signWebhook(new TextEncoder().encode(text), secret));

  expect((await exchange(keeping(text), sent)).handled[0]).toMatch(/^\uFFFD/);
});

/** A delivery's JSON with a byte in it that is no UTF-8. */
function notUtf8(): Uint8Array {
  const bytes = new TextEncoder().encode(messageBody);
  bytes[messageBody.indexOf('message_1')] = 0xff;
  return bytes;
}
