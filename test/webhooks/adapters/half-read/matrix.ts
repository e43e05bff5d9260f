import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../server/support/manual-clock.js';
import { within } from '../../../waiting.js';
import { messageDelivery } from '../../delivery-body.js';
import { portOf } from '../support/environment.js';
import { recordingReceiver } from '../support/receiver.js';
import { delivery, type Seen, type Sent } from '../support/sent.js';
import type { ReadEnvironment } from './environments.js';
import type { Reader } from './readers.js';

/** A delivery with a body of about so many bytes. */
function deliveryOf(bytes: number, framing: Sent['framing']): Sent {
  const text = JSON.stringify({ ...messageDelivery, data: { ...messageDelivery.data, body: '' } });
  const body = 'x'.repeat(Math.max(0, bytes - text.length));
  const sent = delivery(text.replace('"body":""', `"body":"${body}"`));
  return { ...sent, framing };
}

/** Sends a delivery, and returns the status as soon as it comes, although the receiver has not read the whole body. */
function statusOf(url: string, { method, headers, chunks, framing }: Sent): Promise<Seen> {
  const body = Buffer.concat(chunks);
  const length = framing === 'length' ? { 'Content-Length': body.byteLength } : {};
  const sending = request(url, {
    method,
    headers: { ...Object.fromEntries(headers), ...length },
    agent: false,
  });
  return new Promise((resolve) => {
    sending.on('response', ({ statusCode }) => {
      resolve(statusCode ?? 'no response');
      sending.destroy();
    });
    sending.on('error', () => resolve('no response'));
    sending.end(body);
  });
}

const sizes = { small: 100, large: 300_000 } as const;

/**
 * Sends a small and a large delivery to each environment behind each reader. The receiver's clock stands still, so a body that the
 * receiver waits for in vain never gets a response, and the test fails.
 */
export function describeReaders<Request>(
  environments: readonly ReadEnvironment<Request>[],
  readers: readonly Reader<Request>[],
  framing: Sent['framing'] = 'length',
): void {
  describe.each(environments)('$name', ({ fix, differs, listenerOf }) => {
    for (const { name, read, outcome, destroys } of readers) {
      for (const [size, bytes] of Object.entries(sizes)) {
        const ofReader =
          typeof outcome === 'string' ? outcome : outcome[size === 'small' ? 'small' : 'large'];
        const expected = differs?.[name] ?? ofReader;
        if (expected === '–') continue;
        test(`${name}, ${size}: ${expected}`, async () => {
          const { receiver, told, handled } = recordingReceiver({ clock: new ManualClock() });
          const server = createServer(await listenerOf(receiver, read));
          const url = `http://127.0.0.1:${await portOf(server)}/webhooks`;
          const seen = await within(
            'the response',
            statusOf(url, deliveryOf(bytes, framing)),
            () => told,
            5_000,
          );
          server.closeAllConnections(); // a reader that stays holds up the rest of its body
          server.close();
          await once(server, 'close');
          if (expected === 'handled') {
            expect([seen, told, handled.length]).toEqual([204, [], 1]);
            return;
          }
          expect(seen).toBe(destroys && seen === 'no response' ? 'no response' : 500);
          expect(told).toMatchObject([{ reason: 'consumed', message: expect.stringContaining(fix) }]);
        });
      }
    }
  });
}
