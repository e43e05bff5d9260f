import type { RequestListener } from 'node:http';
import express from 'express';
import { createReferenceServer, type ReferenceServer, type ServerState } from 'messaging-automation/server';
import { createWebhookReceiver, toNodeHandler, verifyWebhook } from 'messaging-automation/webhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startListener } from '../support/listener.js';
import { ManualClock } from '../support/manual-clock.js';
import { startPort } from '../support/port.js';
import { type Behaviour, hang, reply, startReceiver } from '../support/receiver.js';
import { field } from '../support/reference.js';
import { openWorkspace } from '../support/subscribed.js';
import { causesIn, explained, explanationOf, namesIn } from './explained.js';

const quiet = { onRefused: () => {}, onError: () => {} };
const day = 24 * 60 * 60 * 1000;

/** A workspace that delivers to a listener, which is made once its secret is known. */
async function deliveringTo(listenerWith: (secret: string) => RequestListener) {
  let listener: RequestListener = (_, response) => response.writeHead(500).end();
  const url = await startListener((request, response) => listener(request, response));
  const workspace = openWorkspace({ deliveryTimestamps: 'machine' });
  const { id, secret } = await workspace.subscribe(url, ['message.received']);
  listener = listenerWith(secret);
  return { ...workspace, url, subscriptionId: id, secret };
}

async function explainedAfterFiveSeconds(behave: Behaviour): Promise<object> {
  const machine = new ManualClock();
  const receiver = await startReceiver(behave);
  const { server, subscribe, receive } = openWorkspace({ systemClock: machine });
  await subscribe(receiver.url);
  await receive();
  await receiver.arrived(1);
  machine.pass(5_000);
  await server.settled();
  return explanationOf(server);
}

describe('a receiver', () => {
  test('with another secret gets the end of the right one', async () => {
    const receiver = createWebhookReceiver({ secret: 'whsec_of_another', ...quiet }).onAny(() => {});
    const { server, secret } = await deliveringTo(() => toNodeHandler(receiver));
    const explanation = await explained(server);
    expect(namesIn(explanation)).toEqual([
      'wrong_secret likely',
      'parsed_body possible',
      'access_denied possible',
    ]);
    expect(causesIn(explanation)[0]?.explanation).toContain(`…${secret.slice(-4)}`);
    expect(explanation).toMatchObject({
      status: 'pending',
      signature: { header: 'X-Service-Signature', matches: true, secretEnding: secret.slice(-4) },
    });
    expect(JSON.stringify(explanation)).not.toContain(secret);
  });

  test('behind express.json() learns that the body was parsed', async () => {
    const { server } = await deliveringTo((secret) => {
      const receiver = createWebhookReceiver({ secret, ...quiet }).onAny(() => {});
      return express().use(express.json()).use(toNodeHandler(receiver));
    });
    const explanation = await explained(server);
    expect(namesIn(explanation)).toEqual(['receiver_failed likely', 'parsed_body likely']);
    expect(causesIn(explanation)[1]?.advice).toContain('express.raw(');
  });

  test('that shows the error of a parsed body learns it for certain', async () => {
    const { server } = await deliveringTo((secret) =>
      express()
        .use(express.json())
        .use((request, response) => {
          const verified = verifyWebhook(request.body, request.get('X-Service-Signature'), secret);
          response.sendStatus(verified ? 204 : 401);
        }),
    );
    expect(namesIn(await explained(server))).toEqual(['parsed_body certain']);
  });

  test.each([
    ['ahead', 1, '24 h behind', '24 h ahead of'],
    ['behind', -1, '24 h ahead of', '24 h behind'],
  ])('whose clock is a day %s learns whose clock it is', async (_, sign, away, difference) => {
    const { server } = await deliveringTo((secret) => {
      const clock = { now: () => Date.now() + sign * day, setTimer: () => () => {} };
      const handle = toNodeHandler(createWebhookReceiver({ secret, clock, ...quiet }).onAny(() => {}));
      return (request, response) => {
        response.setHeader('Date', new Date(clock.now()).toUTCString());
        handle(request, response);
      };
    });
    const explanation = await explained(server);
    expect(namesIn(explanation)[0]).toBe('clock likely');
    const [cause] = causesIn(explanation);
    expect(cause?.explanation).toContain(`${away} the receiver's clock`);
    expect(cause?.advice).toContain(`${difference} that of this one`);
    const clocks = Object(field(explanation, 'clocks'));
    expect(Math.abs(clocks.receiver - clocks.machine - sign * day)).toBeLessThan(10_000);
    expect(clocks.timestamp).toBeLessThanOrEqual(clocks.machine);
  });

  test('that got an old delivery once more', async () => {
    const old = openWorkspace({ now: '2026-01-01T00:00Z' });
    const receiver = await startReceiver(reply(204), reply(400));
    await old.subscribe(receiver.url, ['message.received']);
    await old.receive();
    const { id } = await old.server.deliveries.waitFor();
    await old.server.clock.advance('3d');
    await old.server.deliveries.redeliver(id);
    await old.server.settled();
    const [cause] = causesIn(await explanationOf(old.server));
    expect(cause).toMatchObject({ cause: 'clock', certainty: 'likely' });
    expect(cause?.explanation).toContain('3 d old');
  });

  test('that is not there', async () => {
    const { url, close } = await startReceiver();
    await close();
    const { server, subscribe } = openWorkspace();
    await subscribe(url);
    const { host } = new URL(url);
    expect(causesIn(await explained(server))).toEqual([
      {
        cause: 'unreachable',
        certainty: 'certain',
        explanation: `Nothing listens on ${host}.`,
        advice: expect.stringMatching(/^Start your receiver, or correct the subscription's URL\./),
      },
    ]);
  });

  test.each<[string, Behaviour, string]>([
    ['does not respond', hang, 'did not respond within 5 s'],
    ['ends its response', (response) => response.writeHead(200).flushHeaders(), 'respond within 5 s'],
  ])('that never %s', async (_, behave, words) => {
    const explanation = await explainedAfterFiveSeconds(behave);
    expect(namesIn(explanation)).toEqual(['timeout certain']);
    expect(causesIn(explanation)[0]?.explanation).toContain(words);
  });

  test('that does not speak TLS', async () => {
    const { port } = await startReceiver();
    const { server, subscribe } = openWorkspace();
    await subscribe(`https://127.0.0.1:${port}/hooks`);
    const [cause] = causesIn(await explained(server));
    expect([cause?.cause, cause?.explanation]).toEqual([
      'unreachable',
      expect.stringContaining('does not use TLS'),
    ]);
  });

  test.each([
    ['does not respond in HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'unreachable'],
    ['closed the connection before it responded', '', 'response_interrupted'],
    [
      'closed the connection in the middle of its response (200)',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab',
      'response_interrupted',
    ],
  ])('that %s', async (words, sent, name) => {
    const { url } = await startPort((socket) => socket.end(sent));
    const { server: service, subscribe } = openWorkspace();
    await subscribe(url);
    const [cause] = causesIn(await explained(service));
    expect([cause?.cause, cause?.explanation]).toEqual([name, expect.stringContaining(words)]);
  });
});

test('a retry that was stamped anew is explained by the bytes that it had', async () => {
  const { url } = await startReceiver(reply(401));
  const { server, subscribe } = openWorkspace({ specGaps: { retriedBody: 're-stamped' } });
  await subscribe(url, ['message.received']);
  const first = await explained(server);
  await server.clock.advance('10s');
  await server.settled();
  const second = await explanationOf(server);
  expect([first, second]).toMatchObject([{ signature: { matches: true } }, { signature: { matches: true } }]);
  expect(Object(field(second, 'clocks')).timestamp).toBe(Object(field(first, 'clocks')).timestamp + 10_000);
});

test('what is explained survives a restart, and a file of before is read', async () => {
  const { url } = await startReceiver(reply(401));
  const { server, subscribe } = openWorkspace();
  await subscribe(url, ['message.received']);
  const before = await explained(server);
  const state = JSON.parse(JSON.stringify(await server.state()));
  const { apiKey } = server;
  expect(await explanationOf(goingOn(structuredClone(state), apiKey))).toEqual(before);
  for (const delivery of state.workspaces[0].deliveries) {
    for (const attempt of delivery.attempts) {
      for (const added of ['machineTime', 'duration', 'receiverTime']) delete attempt[added];
    }
  }
  const old = await explanationOf(goingOn(state, apiKey));
  expect(namesIn(old)).toEqual(namesIn(before));
  expect(field(old, 'clocks')).not.toHaveProperty('receiver');
});

function goingOn(state: ServerState, apiKey: string): ReferenceServer {
  const server = createReferenceServer({ state, apiKey });
  onTestFinished(() => server.close());
  return server;
}
