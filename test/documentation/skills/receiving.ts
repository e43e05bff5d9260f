import { createMemoryKeyValueStore } from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import {
  createDedupeStore,
  createWebhookReceiver,
  signTestDelivery,
  toFetchHandler,
  toNodeHandler,
  verifyWebhook,
  type WebhookEventType,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { expect, onTestFinished, vi } from 'vitest';
import { runCommand, temporaryFile } from '../../cli/served.js';
import type { Scenarios } from './scenario.js';

const secret = 'whsec_dGVzdA==';

const signed = (event: WebhookEventType = 'message.received') => signTestDelivery({ event, secret });

/** Gives a delivery to a receiver, and returns the status of its response. */
async function statusOf(options: Partial<WebhookReceiverOptions>, delivery = signed(), handler = () => {}) {
  const receiver = createWebhookReceiver({ secret, onError: () => {}, onRefused: () => {}, ...options });
  const handle = toFetchHandler(receiver.on('message.received', handler));
  return (await handle(delivery.toRequest())).status;
}

export const receivingScenarios: Scenarios = {
  'Use the receiver, not `verifyWebhook`': async () => {
    const { body, signature } = signed();
    expect(verifyWebhook(body, signature, secret)).toBe(true);
    expect(await statusOf({})).toBe(204);
  },
  'The adapter by framework': async () => {
    const receiver = createWebhookReceiver({ secret });
    expect(toNodeHandler(receiver)).toBeTypeOf('function');
  },
  'Verification needs the raw bytes': async () => {
    const { bytes, signature } = signed();
    const indented = JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), undefined, 2);
    expect([verifyWebhook(bytes, signature, secret), verifyWebhook(indented, signature, secret)]).toEqual([
      true,
      false,
    ]);
  },
  'Handlers throw to get the delivery again': async () => {
    const failing = () => {
      throw new Error('The database is down.');
    };
    expect(await statusOf({}, signed(), failing)).toBe(500);
    const server = createReferenceServer({ clock: 'frozen' });
    onTestFinished(() => server.close());
    const { url } = await server.receiver.set({ mode: 'error' });
    await server.managedWebhooks.create({ url, events: ['message.received'] });
    await server.contact('+15551234567').says('Hello');
    await server.clock.runToIdle();
    expect((await server.journal.deliveries())[0]?.attempts).toHaveLength(3);
  },
  'A handler that takes longer': async () => {
    const jobs: unknown[] = [];
    const receiver = createWebhookReceiver({ secret, enqueue: async (job) => void jobs.push(job) });
    const bodies: string[] = [];
    receiver.on('message.received', ({ data }) => void bodies.push(data.body));
    expect((await toFetchHandler(receiver)(signed().toRequest())).status).toBe(204);
    expect([jobs.length, bodies.length]).toEqual([1, 0]);
    await receiver.process(JSON.parse(JSON.stringify(jobs[0])));
    expect(bodies).toHaveLength(1);
  },
  'With several processes': async () => {
    const dedupe = createDedupeStore(createMemoryKeyValueStore());
    const delivery = signed();
    let handled = 0;
    const handler = () => {
      handled += 1;
    };
    for (const _ of ['one process', 'another'])
      expect(await statusOf({ dedupe }, delivery, handler)).toBe(204);
    expect(handled).toBe(1);
  },
  'To rotate a secret': async () => {
    expect(await statusOf({ secret: ['whsec_bmV3', secret] })).toBe(204);
  },
  'Verify against this machine': async () => {
    const { exitCode, output } = await runCommand(['listen', '--help'], { env: {} });
    expect([exitCode, output.includes('--forward-to')]).toEqual([0, true]);
  },
  '401 means that the signature does not match': async () => {
    expect(await statusOf({ secret: 'whsec_b3RoZXI=' })).toBe(401);
    const { body, signature = '' } = signed();
    const words = ['diagnose', '--body', await temporaryFile('body.json', body), '--signature', signature];
    const { output, complaints } = await runCommand([...words, '--secret', 'whsec_b3RoZXI='], { env: {} });
    expect(output + complaints).toMatch(/secret/i);
  },
  'An empty secret warns': async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    expect(await statusOf({ secret: '' })).toBe(500);
    expect(warn).toHaveBeenCalled();
  },
  'Only `message.received`': async () => {
    const seen: string[] = [];
    const receiver = createWebhookReceiver({ secret }).onAny((event) => void seen.push(event.event));
    for (const delivery of [signed('contact.opted_in'), signed().unknownType('contact.tagged')])
      await toFetchHandler(receiver)(delivery.toRequest());
    expect(seen).toEqual(['contact.opted_in', 'contact.tagged']);
  },
  'The data of the consent events is not documented': async () => {
    for (const event of ['contact.opted_in', 'contact.opted_out'] as const)
      expect(await statusOf({}, signTestDelivery({ event, secret, data: {} }))).toBe(204);
  },
};
