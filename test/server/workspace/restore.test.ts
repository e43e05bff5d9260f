import { describe, expect, test } from 'vitest';
import { hang, reply, startReceiver } from '../support/receiver.js';
import { phone, startServer } from '../support/reference.js';

describe('a restore', () => {
  test('begins the rate limit anew', async () => {
    const server = startServer({ specGaps: { rateLimit: { requests: 1, per: '1m' } } });
    const snapshot = await server.snapshot();
    const list = () => server.client.templates.list({ retries: 0 });
    await list();
    await expect(list()).rejects.toMatchObject({ status: 429 });
    await server.restore(snapshot);
    await list();
  });

  test('forgets that an endpoint acknowledged deliveries, which has room for two at once again', async () => {
    const receiver = await startReceiver(reply(204), reply(204), hang);
    const server = startServer({ shutdownGrace: 0 });
    await server.managedWebhooks.create({ url: receiver.url, events: ['message.received'] });
    const say = (body: string) => server.simulate.inboundMessage({ phone, body });
    const snapshot = await server.snapshot();
    for (const body of ['one', 'two']) {
      await say(body);
      await server.settled();
    }
    await server.restore(snapshot);
    for (const body of ['three', 'four', 'five']) await say(body);
    await receiver.arrived(4);
    // A fifth would have begun beside the others, and these take several turns of the event loop.
    const { url } = await server.listen();
    for (let turn = 0; turn < 3; turn += 1) await (await fetch(`${url}/health`)).text();
    expect(receiver.received).toHaveLength(4);
  });

  test('ends the listeners that the state does not have, and keeps the others', async () => {
    const server = startServer();
    const listeners = server.listeners;
    const kept = await listeners.create({ url: 'http://127.0.0.1:3000/hooks' });
    const snapshot = await server.snapshot();
    const gone = await listeners.create({ url: 'http://127.0.0.1:3000/others' });
    await server.restore(snapshot);
    expect(await listeners.remove(gone.id)).toBe(false);
    expect(await listeners.remove(kept.id)).toBe(true);
  });

  test('removes the faults of the deliveries that it replaces', async () => {
    const receiver = await startReceiver(reply(200));
    const server = startServer();
    await server.managedWebhooks.create({ url: receiver.url, events: ['message.received'] });
    const snapshot = await server.snapshot();
    await server.faults.add({ delivery: 'any', fault: { kind: 'reorder' } });
    await server.simulate.inboundMessage({ phone, body: 'held back' });
    await server.restore(snapshot);
    await server.faults.clear();
    await server.simulate.inboundMessage({ phone, body: 'after' });
    await server.settled();
    expect(receiver.received.map(({ body }) => JSON.parse(body.toString()).data.body)).toEqual(['after']);
  });
});
