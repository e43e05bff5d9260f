import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import type { DeliveryExplanation, ReferenceServerOptions } from 'messaging-automation/server';
import { createWebhookReceiver, toNodeHandler, verifyWebhook } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { fastifyListener } from '../../webhooks/adapters/node/node-http.js';
import { startListener } from '../support/listener.js';
import { startPort } from '../support/port.js';
import { openWorkspace, type Workspace } from '../support/subscribed.js';
import { causesIn, explained, explanationOf, namesIn } from './explained.js';

/** What is there to receive deliveries: a program, bytes that come back, or nothing. */
interface Failure {
  readonly listener?: (secret: string) => RequestListener | Promise<RequestListener>;
  readonly bytes?: string;
  readonly options?: ReferenceServerOptions;
  readonly url?: string;
  /** What happens before the delivery. */
  before?(workspace: Workspace): unknown;
  /** What happens after it, in place of nothing. */
  after?(workspace: Workspace, subscription: { id: string; secret: string }): unknown;
}

type ReceiverOptions = Parameters<typeof createWebhookReceiver>[0];

const quiet = { onRefused: () => {}, onError: () => {} };
const day = 24 * 60 * 60 * 1_000;
const inThePast: ReferenceServerOptions = { now: '2026-01-03T00:00Z', deliveryTimestamps: 'workspace' };

/** A receiver of this package on node:http. */
const ours =
  (options: (secret: string) => Partial<ReceiverOptions> = () => ({}), handle: () => unknown = () => {}) =>
  (secret: string): RequestListener =>
    toNodeHandler(
      createWebhookReceiver({ secret, ...quiet, ...options(secret) }).onAny(async () => {
        await handle();
      }),
    );

const fails = () => {
  throw new Error('no database');
};

/** A receiver of this package whose clock is wrong by so many milliseconds, which the Date header tells. */
const atAnotherTime =
  (offset: number) =>
  (secret: string): RequestListener => {
    const clock = { now: () => Date.now() + offset, setTimer: () => () => {} };
    const handle = ours(() => ({ clock }))(secret);
    return (request, response) => {
      response.setHeader('Date', new Date(clock.now()).toUTCString());
      handle(request, response);
    };
  };

/** A program that is not of this package. */
const theirs =
  (status: number, text = '', headers: Record<string, string> = {}) =>
  (): RequestListener =>
  (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end(text);

/** A receiver of someone who verifies by hand, in Express. */
const byHand =
  (setUp: (app: express.Express) => void, verified: (request: express.Request, secret: string) => boolean) =>
  (secret: string): RequestListener => {
    const app = express();
    setUp(app);
    return app.post(
      '/hooks',
      (request, response) => void response.sendStatus(verified(request, secret) ? 204 : 401),
    );
  };

const page = (text: string) => `<html><title>Error</title><body><h1>${text}</h1></body></html>`;

/** Each failure, with the cause that a person who knows it names. */
const failures: Readonly<Record<string, readonly [DeliveryExplanation['causes'][number]['cause'], Failure]>> =
  {
    'the secret is that of another subscription': [
      'wrong_secret',
      { listener: ours(() => ({ secret: 'whsec_another' })) },
    ],
    'the secret ends in a letter too much': [
      'wrong_secret',
      { listener: ours((secret) => ({ secret: `${secret}x` })) },
    ],
    'the secret lacks its prefix': [
      'wrong_secret',
      { listener: ours((secret) => ({ secret: secret.slice('whsec_'.length) })) },
    ],
    'no secret is known for the request': [
      'wrong_secret',
      { listener: ours(() => ({ secret: () => undefined })) },
    ],
    'the secret is wrong, and the clock of the workspace is far away': [
      'wrong_secret',
      { listener: ours(() => ({ secret: 'whsec_another' })), options: inThePast },
    ],
    'a receiver by hand says 400 to a signature': [
      'wrong_secret',
      { listener: theirs(400, 'Invalid signature') },
    ],
    'a receiver by hand says 403 to a signature': [
      'wrong_secret',
      { listener: theirs(403, 'signature mismatch') },
    ],
    'a receiver by hand throws at a signature': [
      'wrong_secret',
      { listener: theirs(500, page('Error: bad HMAC')) },
    ],
    'a receiver by hand has another secret': [
      'wrong_secret',
      {
        listener: byHand(
          (app) => app.use(express.raw({ type: () => true })),
          (request) => verifyWebhook(request.body, request.get('X-Service-Signature'), 'whsec_another'),
        ),
      },
    ],
    'a handler throws': ['receiver_failed', { listener: ours(undefined, fails) }],
    'a handler throws, and the clock of the workspace is far away': [
      'receiver_failed',
      { listener: ours(() => ({ tolerance: false }), fails), options: inThePast },
    ],
    'a handler throws for the second delivery': [
      'receiver_failed',
      {
        listener: (secret) => {
          let count = 0;
          return ours(undefined, () => (count++ === 0 ? undefined : fails()))(secret);
        },
        before: ({ deliver }) => deliver(),
      },
    ],
    'the function for the secret throws': ['receiver_failed', { listener: ours(() => ({ secret: fails })) }],
    'a parser stands ahead of a receiver of this package': [
      'receiver_failed', // which says the same of a handler that throws
      { listener: (secret) => express().use(express.json()).use(ours()(secret)) },
    ],
    'something half-reads the body ahead of a receiver of this package': [
      'receiver_failed',
      {
        listener: (secret) => (request, response) =>
          void request.once('data', () => ours()(secret)(request, response)),
      },
    ],
    'a route of Express throws': ['receiver_failed', { listener: () => express().post('/hooks', fails) }],
    'a program in production hides its error': [
      'receiver_failed',
      { listener: theirs(500, page('Internal Server Error')) },
    ],
    'a receiver by hand is given a parsed body': [
      'parsed_body',
      {
        listener: byHand(
          (app) => app.use(express.json()),
          (request, secret) => verifyWebhook(request.body, request.get('X-Service-Signature'), secret),
        ),
      },
    ],
    'a receiver by hand reads a stream that was read': [
      'parsed_body',
      { listener: theirs(500, page('InternalServerError: stream is not readable')) },
    ],
    'the queue takes nothing': ['busy', { listener: ours(() => ({ enqueue: fails })) }],
    'the receiver drains': [
      'busy',
      {
        listener: async (secret) => {
          const receiver = createWebhookReceiver({ secret, ...quiet }).onAny(() => {});
          await receiver.drain();
          return toNodeHandler(receiver);
        },
      },
    ],
    'a limiter says 429': ['busy', { listener: theirs(429, 'Too many requests') }],
    'the body is larger than maxBodyBytes': ['too_large', { listener: ours(() => ({ maxBodyBytes: 10 })) }],
    'the body is larger than the limit of express.raw()': [
      'too_large',
      {
        listener: (secret) =>
          express()
            .use(express.raw({ type: () => true, limit: 10 }))
            .use(ours()(secret)),
      },
    ],
    'the receiver is for another workspace': [
      'body_refused',
      { listener: ours(() => ({ workspaceId: 'workspace_of_another' })) },
    ],
    'a schema refuses the event': [
      'body_refused',
      { listener: theirs(422, '{"message":"data.orderId is required"}') },
    ],
    'the receiver is a day ahead': [
      'clock',
      { listener: atAnotherTime(day), options: { deliveryTimestamps: 'machine' } },
    ],
    'the receiver is a day behind': [
      'clock',
      { listener: atAnotherTime(-day), options: { deliveryTimestamps: 'machine' } },
    ],
    'the workspace is in the past': ['clock', { listener: ours(), options: inThePast }],
    'a receiver by hand says 401 to an old timestamp': [
      'clock',
      { listener: theirs(401, 'The timestamp is too old'), options: inThePast },
    ],
    'a receiver by hand throws at an old timestamp': [
      'clock',
      { listener: theirs(500, page('Error: timestamp expired')), options: inThePast },
    ],
    'a delivery is sent again after three days': [
      'clock',
      {
        options: inThePast,
        listener: theirs(400),
        after: async ({ server }) => {
          const [delivery] = await server.journal.deliveries();
          await server.clock.advance('3d');
          await server.deliveries.redeliver(delivery?.id ?? '');
          await server.settled();
        },
      },
    ],
    'the route of Express has another path': [
      'not_found',
      { listener: (secret) => express().use('/webhooks', ours()(secret)) },
    ],
    'the route of Fastify has another path': ['not_found', { listener: () => fastifyListener(fastify()) }],
    'the route takes no POST': ['not_found', { listener: theirs(405) }],
    'something takes no JSON': ['media_type', { listener: theirs(415) }],
    'a login redirects': ['redirect', { listener: theirs(302, '', { Location: '/login' }) }],
    'a slash is missing': ['redirect', { listener: theirs(308, '', { Location: '/hooks/' }) }],
    'a proxy wants a password': [
      'access_denied',
      { listener: theirs(401, page('401 Authorization Required'), { 'WWW-Authenticate': 'Basic' }) },
    ],
    'a protection against forged forms says 403': [
      'access_denied',
      { listener: theirs(403, page('CSRF verification failed')) },
    ],
    'a firewall says 403': ['access_denied', { listener: theirs(403, page('Access denied')) }],
    'a proxy finds no receiver': ['unreachable', { listener: theirs(502, page('502 Bad Gateway')) }],
    'nothing listens': ['unreachable', { url: 'http://127.0.0.1:9/hooks' }],
    'the receiver speaks no TLS': [
      'unreachable',
      { bytes: 'HTTP/1.1 204 No Content\r\n\r\n', url: 'https:' },
    ],
    'the port is not of HTTP': ['unreachable', { bytes: 'SSH-2.0-OpenSSH_9.6\r\n' }],
    'the receiver crashes': ['response_interrupted', { bytes: '' }],
    'the receiver crashes in its response': [
      'response_interrupted',
      { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab' },
    ],
    'a fault changes the signature': [
      'fault',
      {
        listener: ours(),
        before: async ({ server }) => {
          await server.faults.add({ delivery: 'any', fault: { kind: 'tamper' } });
        },
      },
    ],
    'a fault responds': [
      'fault',
      {
        listener: ours(),
        before: async ({ server }) => {
          await server.faults.add({ delivery: 'any', fault: { kind: 'status', status: 500 } });
        },
      },
    ],
    'the subscription is deleted': [
      'subscription_gone',
      { listener: theirs(503), after: ({ unsubscribe }, subscription) => unsubscribe(subscription) },
    ],
    'the receiver accepts with a status of its own': ['refused', { listener: theirs(418) }],
  };

/** The explanation of a failure, once it has happened. */
async function explanationAfter({ listener, bytes, options, url = '', before, after }: Failure) {
  let receive: RequestListener = () => {};
  const workspace = openWorkspace(options);
  const given = url.endsWith('/hooks') ? url : undefined;
  const port = bytes === undefined ? undefined : await startPort((socket) => socket.end(bytes));
  const own = given ?? port?.url ?? (await startListener((request, response) => receive(request, response)));
  const subscription = await workspace.subscribe(url === 'https:' ? own.replace('http:', url) : own);
  if (listener !== undefined) receive = await listener(subscription.secret);
  await before?.(workspace);
  const explanation = await explained(workspace.server);
  await after?.(workspace, subscription);
  return after === undefined ? explanation : explanationOf(workspace.server);
}

describe('the first cause is the one that a person names', () => {
  test.each(Object.entries(failures))('%s', async (_, [cause, failure]) => {
    const explanation = await explanationAfter(failure);
    const [first] = causesIn(explanation);
    expect(first?.cause, namesIn(explanation).join()).toBe(cause);
  });
});
