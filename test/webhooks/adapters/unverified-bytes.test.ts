import { createServer } from 'node:http';
import { connect } from 'node:net';
import { signatureHeader, toNodeHandler } from 'messaging-automation/webhooks';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { until } from '../../waiting.js';
import { portOf } from './support/environment.js';
import { rawExchange } from './support/raw-exchange.js';
import { recordingReceiver } from './support/receiver.js';
import { delivery, wrongSignature } from './support/sent.js';

const mebibyte = 1024 * 1024;
const spaces = Buffer.alloc(16 * mebibyte, ' ');

test('of large bodies that strangers send slowly the largest is refused, and a delivery is handled', async () => {
  const { receiver, told, handled } = recordingReceiver({
    maxBodyBytes: 20 * mebibyte,
    clock: new ManualClock(), // no deadline passes, however long the bodies take
  });
  const server = createServer(toNodeHandler(receiver));
  const port = await portOf(server);
  const answers: string[] = [];
  const senders = Array.from({ length: 4 }, () =>
    connect({ port, host: '127.0.0.1' }).on('data', (text) => answers.push(String(text))),
  );
  onTestFinished(() => {
    for (const sender of senders) sender.destroy();
    server.close();
  });
  for (const [index, sender] of senders.entries()) {
    const length = 15 * mebibyte + index;
    sender.write(
      `POST / HTTP/1.1\r\nHost: a\r\n${signatureHeader}: ${wrongSignature}\r\nContent-Length: ${length}\r\n\r\n`,
    );
    sender.write(spaces.subarray(0, length - 1)); // and then nothing more
  }
  await until('a refusal', () => answers.length > 0);
  expect(await rawExchange(`http://127.0.0.1:${port}/`, delivery())).toBe(204);
  expect(answers).toEqual([expect.stringMatching(/^HTTP\/1\.1 503 .*Retry-After: 5\r\n/s)]);
  expect(told).toMatchObject([{ name: 'RefusedRequestError', reason: 'overloaded' }]);
  expect(handled).toHaveLength(1);
});
