import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import {
  createWebhookReceiver,
  type NodeRequest,
  signatureHeader,
  signWebhook,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { messageBody, secret } from '../../delivery-body.js';
import { endpointOf } from '../support/environment.js';
import { maxBodyBytes } from '../support/faults.js';
import { delivery, type Sent, withSignatures } from '../support/sent.js';

let errors: unknown[] = [];
let handled: string[] = [];

afterEach(() => {
  errors = [];
  handled = [];
});

function receiverOf() {
  const tell = (error: unknown) => void errors.push(error);
  const options = { secret, maxBodyBytes, tolerance: false, onError: tell, onRefused: tell } as const;
  return createWebhookReceiver(options).on('message.received', (event) => handled.push(event.data.body));
}

/** The status that the adapter on node:http answers behind something that has had the request before. */
async function statusBehind(before: (request: IncomingMessage) => unknown, sent: Sent = delivery()) {
  const handle = toNodeHandler(receiverOf());
  const listener: RequestListener = async (request, response) => {
    await before(request);
    await handle(request, response);
  };
  const endpoint = await endpointOf(listener);
  const status = await endpoint.send(sent);
  await endpoint.close();
  return status;
}

/** Reads the body, and keeps this in its place. */
const keeping = (kept: object) => async (request: IncomingMessage) => {
  for await (const _ of request);
  Object.assign(request, kept);
};

test.each<[string, (request: IncomingMessage) => unknown]>([
  ['decodes', (request) => request.setEncoding('latin1')],
  [
    'somebody has begun to read',
    (request) => new Promise<void>((resolve) => request.once('data', () => request.pause() && resolve())),
  ],
])('a stream that %s is refused', async (_, before) => {
  expect(await statusBehind(before)).toBe(500);
  expect(errors).toMatchObject([{ reason: 'consumed' }]);
});

describe('bytes that were kept', () => {
  test('are used beside a parsed body', async () => {
    const kept = { rawBody: Buffer.from(messageBody), body: JSON.parse(messageBody) };

    expect(await statusBehind(keeping(kept))).toBe(204);
  });

  test('are bounded', async () => {
    expect(await statusBehind(keeping({ rawBody: Buffer.alloc(maxBodyBytes + 1) }))).toBe(413);
  });

  test('are used in a request that is no stream, as tests and platforms make them', async () => {
    const request = Object.assign(new EventEmitter(), {
      method: 'POST',
      headers: { [signatureHeader.toLowerCase()]: signWebhook(messageBody, secret) },
      body: new TextEncoder().encode(messageBody),
    });
    const response = { statusCode: 0, headersSent: false, destroyed: false, setHeader() {}, end() {} };

    // Less than the type asks for, which is what such requests are.
    await toNodeHandler(receiverOf())(request as unknown as NodeRequest, response);

    expect(response.statusCode).toBe(204);
  });
});

describe('text that was kept', () => {
  const statusOf = (rawBody: string, sent?: Sent) => statusBehind(keeping({ rawBody }), sent);

  test('is used as its UTF-8 bytes, and a mismatch names the option that keeps the bytes', async () => {
    expect(await statusOf(messageBody)).toBe(204);
    expect(await statusOf('{}')).toBe(401);
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/came as text.*request\.rawBody = bytes/) },
    ]);
  });

  test('is too large by its bytes', async () => {
    expect(await statusOf('x'.repeat(maxBodyBytes + 1))).toBe(413);
    expect(await statusOf('ü'.repeat(maxBodyBytes / 2 + 1))).toBe(413);
    expect(await statusOf('ü'.repeat(maxBodyBytes / 2))).toBe(401);
  });

  test('is not parsed itself: the event comes from the bytes that were verified', async () => {
    const text = messageBody.replace('Grüße', '\uD83D'); // half of a surrogate pair encodes as U+FFFD
    await statusOf(text, withSignatures(delivery(), signWebhook(new TextEncoder().encode(text), secret)));

    expect(handled[0]).toMatch(/^\uFFFD/);
  });
});
