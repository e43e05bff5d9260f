import { createWebhookReceiver, toFetchHandler, toNodeHandler } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { messageBody, secret } from '../delivery-body.js';
import { endpointOf } from './support/environment.js';
import { delivery, type Sent, splitInsideCodePoint } from './support/sent.js';

const length = Buffer.byteLength(messageBody);

function receiverOf(maxBodyBytes: number) {
  const options = { secret, maxBodyBytes, tolerance: false, onRefused: () => undefined } as const;
  return createWebhookReceiver(options).on('message.received', () => undefined);
}

/** The status of a body that comes in these pieces and whose length nobody says. */
const adapters: Readonly<Record<string, (limit: number, chunks: Sent['chunks']) => Promise<unknown>>> = {
  async 'node:http'(limit, chunks) {
    const endpoint = await endpointOf(toNodeHandler(receiverOf(limit)));
    const seen = await endpoint.send({ ...delivery(), chunks, framing: 'chunked' });
    await endpoint.close();
    return seen;
  },
  async Fetch(limit, chunks) {
    const headers = [...delivery().headers].map(([name, value]): [string, string] => [name, value]);
    const init = { method: 'POST', headers, body: streamOf(chunks), duplex: 'half' };
    return (await toFetchHandler(receiverOf(limit))(new Request('https://example.com/', init))).status;
  },
};

describe.each(Object.entries(adapters))('maxBodyBytes in %s', (_, statusOf) => {
  test.each([
    ['one piece', [new TextEncoder().encode(messageBody)]],
    ['two pieces', splitInsideCodePoint(messageBody)],
    ['single bytes', [...new TextEncoder().encode(messageBody)].map((byte) => Uint8Array.of(byte))],
  ])('takes a body of so many bytes, and no byte more, in %s', async (_pieces, chunks) => {
    expect(await statusOf(length, chunks)).toBe(204);
    expect(await statusOf(length - 1, chunks)).toBe(413);
  });
});

function streamOf(chunks: Sent['chunks']): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}
