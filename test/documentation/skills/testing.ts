import { createReferenceServer, type ReferenceServerOptions } from 'messaging-automation/server';
import { workspaceFixtures } from 'messaging-automation/vitest';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { expect, onTestFinished } from 'vitest';
import { startListener } from '../../server/support/listener.js';
import type { Scenarios } from './scenario.js';

const phone = '+15551234567';
const templates = [{ id: 'welcome', body: 'Welcome!' }];
const send = { phone, templateId: 'welcome', variables: {} };

function start(options: ReferenceServerOptions = { clock: 'frozen', templates, contacts: [{ phone }] }) {
  const server = createReferenceServer(options);
  onTestFinished(() => server.close());
  return server;
}

export const testingScenarios: Scenarios = {
  'The server is the service': async () => {
    const server = start();
    const before = server.clock.now();
    await server.clock.advance('1d');
    expect(server.clock.now() - before).toBe(86_400_000);
  },
  '`ada.receives(templateId)` takes the oldest': async () => {
    const server = start();
    const ada = server.contact(phone);
    await server.client.transactional.send(send);
    expect((await ada.receives('welcome')).text).toBe('Welcome!');
    await ada.receivesNothing({ within: '1h' });
    await server.client.events.track({ event: 'paid', phone });
    expect(await ada.did('paid')).toMatchObject({ event: 'paid' });
  },
  '`server.deliveries.waitFor(filter)` resolves': async () => {
    const server = start();
    const { url } = await server.receiver.set({ mode: 'verify' });
    await server.managedWebhooks.create({ url, events: ['message.received'] });
    await server.contact(phone).says('Hello');
    expect(await server.deliveries.waitFor({ event: 'message.received', status: 'delivered' })).toBeDefined();
    await server.settled();
    expect(await server.journal.deliveries()).toHaveLength(1);
  },
  'One server for the suite': async () => {
    const server = start();
    const [one, other] = [server.workspace({ templates }), server.workspace()];
    await one.client.contacts.upsert({ phone });
    expect(await other.client.contacts.find(phone)).toBeNull();
    expect(Object.keys(workspaceFixtures())).toContain('workspace');
  },
  'A contact writes': async () => {
    const ada = start().contact(phone);
    await ada.says('STOP');
    expect(await ada.consent()).toBe('opted_out');
    expect(await ada.chat()).toMatchObject([{ text: 'STOP' }]);
  },
  'Make calls fail': async () => {
    const server = start();
    const fault = { kind: 'status', status: 503 } as const;
    await server.faults.add({ operation: 'transactional.send', nth: 1, fault });
    await expect(server.client.transactional.send(send)).rejects.toMatchObject({ status: 503 });
    await server.client.transactional.send(send);
  },
  'Use up the quota': async () => {
    const server = start();
    await server.quota.set({ quota: 0, addOnCredits: 0 });
    await expect(server.client.transactional.send(send)).rejects.toMatchObject({ status: 402 });
  },
  'A receiver under test': async () => {
    const server = start();
    const bodies: string[] = [];
    // The subscription has its secret when the first delivery comes.
    let secret = '';
    const receiver = createWebhookReceiver({ secret: () => secret, clock: server.clock });
    receiver.on('message.received', ({ data }) => void bodies.push(data.body));
    const url = await startListener(toNodeHandler(receiver));
    ({ secret } = await server.client.webhooks.create({ url, events: ['message.received'] }));
    await server.contact(phone).says('Hello');
    await server.settled();
    expect(bodies).toEqual(['Hello']);
  },
  '`await using` needs a compiler': async () => {
    const server = createReferenceServer();
    await server.close();
  },
  '`server.client` never retries': async () => {
    const server = start();
    const fault = { kind: 'status', status: 503 } as const;
    await server.faults.add({ operation: 'any', times: 1, fault });
    await expect(server.client.templates.list()).rejects.toMatchObject({ status: 503 });
  },
  'Each read of a workspace is a promise': async () => {
    const ada = start().contact(phone);
    expect(ada.chat()).toBeInstanceOf(Promise);
    expect(await ada.chat()).toEqual([]);
  },
  'A send needs its contact and its template': async () => {
    await expect(start({ templates }).client.transactional.send(send)).rejects.toMatchObject({ status: 404 });
    const withoutTemplate = start({ contacts: [{ phone }] });
    await expect(withoutTemplate.client.transactional.send(send)).rejects.toMatchObject({ status: 422 });
  },
};
