import { toFetchHandler, toNodeHandler } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { messageBody } from '../delivery-body.js';
import { seenAt } from './support/environment.js';
import { recordingReceiver } from './support/receiver.js';
import { delivery, type Sent, signedRequest, splitInsideCodePoint, streamOf } from './support/sent.js';

const bytes = new TextEncoder().encode(messageBody);

/** The status of a body that comes in these pieces and whose length nobody says. */
const adapters: Readonly<Record<string, (limit: number, chunks: Sent['chunks']) => Promise<unknown>>> = {
  'node:http': (maxBodyBytes, chunks) =>
    seenAt(toNodeHandler(recordingReceiver({ maxBodyBytes }).receiver), {
      ...delivery(),
      chunks,
      framing: 'chunked',
    }),
  async Fetch(maxBodyBytes, chunks) {
    const handle = toFetchHandler(recordingReceiver({ maxBodyBytes }).receiver);
    return (await handle(signedRequest(streamOf(chunks)))).status;
  },
};

describe.each(Object.entries(adapters))('maxBodyBytes in %s', (_, statusOf) => {
  test.each([
    ['one piece', [bytes]],
    ['two pieces', splitInsideCodePoint(messageBody)],
    ['single bytes', Array.from(bytes, (byte) => Uint8Array.of(byte))],
  ])('takes a body of so many bytes, and no byte more, in %s', async (_pieces, chunks) => {
    expect(await statusOf(bytes.length, chunks)).toBe(204);
    expect(await statusOf(bytes.length - 1, chunks)).toBe(413);
  });
});
