import type { ReferenceServer } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { field, phone, refusal, startServer } from '../support/reference.js';
import { readStream, requestStream } from './event-stream.js';
import { control } from './support.js';

const url = 'http://localhost:3000/webhooks';

const say = (server: ReferenceServer, body = 'Hello') => server.simulate.inboundMessage({ phone, body });

/** A server with a listener, made over HTTP. */
async function startListening() {
  const machine = new ManualClock();
  const server = startServer({ systemClock: machine });
  // Ends what still waits for a response, which the server would wait for.
  onTestFinished(() => machine.pass(60_000));
  const ask = control(server);
  const { status, body } = await ask('POST', '/listeners', { url });
  expect(status).toBe(201);
  return { server, ask, machine, id: String(field(body, 'id')) };
}

const streamOf = (server: ReferenceServer, id: string, method = 'GET') =>
  requestStream(server, `/listeners/${id}/attempts`, { method });

async function follow(server: ReferenceServer, id: string) {
  const response = await streamOf(server, id);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  const stream = readStream(response);
  return {
    ...stream,
    /** The next event, as its name and its data. */
    async next(): Promise<readonly [name: unknown, data: unknown]> {
      const event = await stream.next();
      return event === undefined ? ['end', undefined] : [event.event, event.data];
    },
  };
}

describe('a listener over HTTP', () => {
  test('gets the bytes in base64, and its first report is the result of the attempt', async () => {
    const { server, ask, id } = await startListening();
    const stream = await follow(server, id);
    expect(await stream.next()).toEqual(['start', { workspaceId: server.id, listenerId: id }]);
    expect(stream.retries).toEqual([100]);
    // Longer than the pieces in which the server encodes it.
    await say(server, 'Hello, \u{1f44b}'.repeat(2_000));
    const [name, attempt] = await stream.next();
    expect([name, attempt]).toMatchObject([
      'attempt',
      {
        number: 1,
        event: 'message.received',
        timeout: 5_000,
        headers: { 'Content-Type': 'application/json' },
      },
    ]);
    const path = `/listeners/${id}/attempts/${field(attempt, 'attemptId')}`;
    const responded = await ask('POST', path, {
      status: 503,
      responseBody: 'not now',
      date: 'Thu, 01 Jan 2026 09:00:00 GMT',
    });
    expect([responded.status, responded.body]).toEqual([200, { outcome: 'recorded' }]);
    expect(await ask('POST', path, { error: 'refused' })).toMatchObject({ body: { outcome: 'recorded' } });
    await server.settled();
    const [delivery] = await server.journal.deliveries();
    expect(Buffer.from(String(field(attempt, 'body')), 'base64')).toEqual(Buffer.from(delivery?.body ?? []));
    expect(delivery).toMatchObject({
      id: field(attempt, 'deliveryId'),
      attempts: [
        {
          signature: field(field(attempt, 'headers'), 'X-Service-Signature'),
          status: 503,
          responseBody: 'not now',
          receiverTime: Date.UTC(2026, 0, 1, 9),
        },
      ],
    });
    await stream.leave();
  });

  test('belongs to its workspace', async () => {
    const { server, id } = await startListening();
    const ask = control(server, server.workspace());
    expect((await ask('DELETE', `/listeners/${id}`)).status).toBe(404);
    expect((await ask('POST', `/listeners/${id}/attempts/x`, { status: 200 })).status).toBe(404);
  });
});

test('a server that is about to close refuses a stream with 503', async () => {
  const { server, machine, id } = await startListening();
  const stream = await follow(server, id);
  await stream.next();
  await say(server);
  await stream.next();
  const closing = server.close();
  expect((await streamOf(server, id)).status).toBe(503);
  machine.pass(60_000);
  await closing;
});

test('unknown listeners and attempts are rejected with 404', async () => {
  const { server, ask, id } = await startListening();
  expect((await streamOf(server, 'webhook_x')).status).toBe(404);
  const responses = await Promise.all([
    ask('DELETE', '/listeners/webhook_x'),
    ask('POST', '/listeners/webhook_x/attempts/x', { status: 200 }),
    ask('POST', `/listeners/${id}/attempts/x`, { status: 200 }),
  ]);
  expect(responses).toMatchObject(responses.map(() => ({ status: 404, body: refusal('not_found') })));
});

test('an eleventh listener is refused with 429', async () => {
  const { ask } = await startListening();
  await Promise.all(Array.from({ length: 9 }, () => ask('POST', '/listeners', { url })));
  expect(await ask('POST', '/listeners', { url })).toMatchObject({
    status: 429,
    body: refusal('rate_limited'),
  });
});
