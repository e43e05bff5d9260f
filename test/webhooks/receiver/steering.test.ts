import {
  createWebhookReceiver,
  signTestDelivery,
  toFetchHandler,
  toHonoHandler,
  toNodeHandler,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { expect, test, vi } from 'vitest';
import { endpointOf } from '../adapters/support/environment.js';
import { sentAs } from '../adapters/support/sent.js';
import { secret } from '../delivery-body.js';
import { recordingStore } from './receive.js';

const redirect = Object.assign(new Error('NEXT_REDIRECT'), { digest: 'NEXT_REDIRECT;replace;/login;307;' });
const steer = (): never => {
  throw redirect;
};
const failingStore = { ...recordingStore().store, claim: async () => steer() };

/** Where users' code runs in a receiver. */
const places: readonly (readonly [string, Partial<WebhookReceiverOptions<Request>>])[] = [
  ['the function secret', { secret: steer }],
  ['the function dedupeKey', { dedupeKey: steer }],
  ['the dedupe store', { dedupe: failingStore }],
  ['the function enqueue', { enqueue: steer }],
  ['a handler', {}],
];

const delivery = () => signTestDelivery({ secret, event: 'contact.opted_in' }).toRequest();

test.each(places)(
  '%s: what steers the framework passes through a Fetch handler as it is',
  async (_, options) => {
    const onError = vi.fn();
    const receiver = createWebhookReceiver<Request>({ secret, onError, ...options });
    receiver.on('contact.opted_in', steer);

    await expect(toFetchHandler(receiver)(delivery())).rejects.toBe(redirect);
    expect(onError.mock.calls).toEqual([[redirect, expect.objectContaining({ willBeRetried: true })]]);
    expect(await receiver.drain({ timeout: 0 })).toEqual([]);
  },
);

test('a delivery that a handler steered away from is handled by its next attempt', async () => {
  const handle = vi.fn().mockImplementationOnce(steer);
  const receiver = createWebhookReceiver<Request>({ secret, onError: () => {} });
  receiver.on('contact.opted_in', handle);
  const signed = signTestDelivery({ secret, event: 'contact.opted_in' });
  const respond = toFetchHandler(receiver);

  await expect(respond(signed.toRequest())).rejects.toBe(redirect);
  expect((await respond(signed.toRequest())).status).toBe(204);
  expect(handle).toHaveBeenCalledTimes(2);
});

test('it passes through a Hono handler', async () => {
  const receiver = createWebhookReceiver({ secret, onError: () => {} });
  receiver.on('contact.opted_in', steer);
  const context = { req: { raw: delivery() }, executionCtx: { waitUntil: () => {} } };

  await expect(toHonoHandler(receiver)(context)).rejects.toBe(redirect);
});

test('a Node handler responds with 500 to it, because nobody takes what it rejects with', async () => {
  const onError = vi.fn();
  const receiver = createWebhookReceiver({ secret, onError });
  receiver.on('contact.opted_in', steer);
  const endpoint = await endpointOf(toNodeHandler(receiver));

  expect(await endpoint.send(sentAs(signTestDelivery({ secret, event: 'contact.opted_in' })))).toBe(500);
  expect(onError.mock.calls[0]?.[0]).toBe(redirect);
  await endpoint.close();
});

test('the worker of a queue gets it from process', async () => {
  const jobs: unknown[] = [];
  const enqueueing = createWebhookReceiver<Request>({ secret, enqueue: (job) => jobs.push(job) });
  await toFetchHandler(enqueueing)(delivery());
  const worker = createWebhookReceiver({ secret });
  worker.on('contact.opted_in', steer);

  await expect(worker.process(jobs[0])).rejects.toBe(redirect);
});

test.each<[string, Partial<WebhookReceiverOptions<Request>>]>([
  ['onHandled', { onHandled: steer }],
  ['onDuplicate', { onDuplicate: steer }],
  [
    'a commit of the dedupe store, after the delivery was handled',
    { dedupe: { ...recordingStore().store, commit: async () => steer() } },
  ],
])('what %s throws changes nothing about the response', async (_, options) => {
  const receiver = createWebhookReceiver<Request>({ secret, onError: () => {}, ...options });
  receiver.on('contact.opted_in', () => {});
  const signed = signTestDelivery({ secret, event: 'contact.opted_in' });
  const respond = toFetchHandler(receiver);

  expect((await respond(signed.toRequest())).status).toBe(204);
  expect((await respond(signed.toRequest())).status).toBe(204);
});

test('an error with the number that React gives it is a failure of the handler', async () => {
  const receiver = createWebhookReceiver<Request>({ secret, onError: () => {} });
  receiver.on('contact.opted_in', () => {
    throw Object.assign(new Error('broken'), { digest: '2147483647' });
  });
  expect((await toFetchHandler(receiver)(delivery())).status).toBe(500);
});
