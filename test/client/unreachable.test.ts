import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Middleware } from 'messaging-automation';
import { undiciTransport } from 'messaging-automation/undici';
import { expect, onTestFinished, test } from 'vitest';
import { manualClock } from './support/clocks.js';
import { clientOf, faults, phone, rejection, startService } from './support/service.js';

const send = { phone, templateId: 'order_update' };

test('a send over TLS to a port that speaks none has sent nothing, and is not tried again', async () => {
  const requests: unknown[] = [];
  const server = createServer((request) => requests.push(request));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  const error = await rejection(
    clientOf({ baseUrl: `https://127.0.0.1:${port}/api` }).transactional.send(send),
  );

  expect(error).toMatchObject({
    name: 'ConnectionError',
    outcome: 'not_sent',
    attempts: 1,
    retryable: false,
  });
  expect(String(error)).toContain('Check the base URL');
  expect(requests).toHaveLength(0);
});

test('a send to a port that fetch refuses to use has sent nothing, and is not tried again', async () => {
  const error = await rejection(clientOf({ baseUrl: 'http://127.0.0.1:6000/api' }).transactional.send(send));

  expect(error).toMatchObject({
    name: 'ConnectionError',
    outcome: 'not_sent',
    attempts: 1,
    retryable: false,
  });
});

test('a send that waits in vain for a connection of undici has sent nothing; the one before it may have', async () => {
  const service = await startService(faults.stall);
  const transport = undiciTransport({ connections: 1 });
  onTestFinished(() => transport.close());
  const [before, behind] = [manualClock(), manualClock()];
  const first = rejection(clientOf(service, { transport, clock: before }).transactional.send(send));
  await service.received(1);
  let waiting: Promise<unknown> = Promise.resolve();
  const begun = new Promise<void>((begin) => {
    const note: Middleware = (request, next) => {
      begin();
      return next(request);
    };
    waiting = rejection(
      clientOf(service, { transport, clock: behind, middleware: [note] }).transactional.send(send),
    );
  });
  await begun;
  behind.advance(30_000);
  before.advance(30_000);

  expect(await waiting).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent', attempts: 1 });
  expect(await first).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', attempts: 1 });
  expect(service.requests).toHaveLength(1);
});
