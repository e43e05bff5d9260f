import type { WorkspaceSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { within } from '../../waiting.js';
import { ManualClock } from '../support/manual-clock.js';
import { reply, startReceiver } from '../support/receiver.js';
import { otherPhone, phone, startServer } from '../support/reference.js';

const now = '2026-01-01T09:00:00.000Z';

describe('reset', () => {
  test('restores what the seed made of the workspace, and nothing else', async () => {
    const receiver = await startReceiver(reply(500), reply(500));
    const server = startServer({
      now,
      quota: 5,
      templates: [{ id: 'hi', body: 'Hi' }],
      contacts: [{ phone }],
      segments: [{ id: 'seen', event: 'seen' }],
      journeys: [{ id: 'later', event: 'seen', steps: [{ wait: '1d' }] }],
      managedWebhooks: [{ url: receiver.url, events: ['message.received'] }],
      specGaps: { unknownIdStatus: 410 },
    });
    const before = await server.snapshot();
    const second = await server.keys.issue();

    await server.client.transactional.send({ phone, templateId: 'hi' });
    await server.client.events.track({ event: 'seen', phone });
    await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone: otherPhone, body: 'STOP' });
    await server.templates.put({ id: 'new', body: 'New' });
    await server.segments.remove('seen');
    await server.specGaps.set({ unknownIdStatus: 404, errorBody: 'text' });
    await server.faults.add({ operation: 'any', fault: { kind: 'status', status: 503 } });
    await server.clock.advance('1h');
    expect((await server.snapshot()).sends).toHaveLength(1);

    await server.reset();
    expect(await server.snapshot()).toEqual(before);
    expect(await server.journal.entries()).toEqual([]);
    expect(await server.faults.list()).toEqual([]);
    expect(server.specGaps.read()).toMatchObject({ unknownIdStatus: 410, errorBody: 'nested' });
    expect(new Date(server.clock.now()).toISOString()).toBe(now);
    expect(await server.client.contacts.find(phone)).toMatchObject({ id: before.contacts[0]?.id });
    const other = await server.fetch(
      new Request('http://localhost/api/v1/templates', { headers: { Authorization: `Bearer ${second}` } }),
    );
    expect(other.status).toBe(200);
  });

  test('leaves every read and every change with the restored state', async () => {
    const server = startServer({
      quota: 5,
      templates: [{ id: 'hi', body: 'Hi' }],
      contacts: [{ phone }],
      segments: [{ id: 'seen', event: 'seen' }],
      journeys: [{ id: 'later', event: 'seen', steps: [{ wait: '1d' }] }],
    });
    await server.quota.set({ quota: 1 });
    await server.templates.remove('hi');
    await server.segments.remove('seen');
    await server.journeys.remove('later');
    await server.client.contacts.upsert({ phone: otherPhone });
    await server.reset();

    expect(await server.quota.read()).toMatchObject({ quota: 5 });
    expect(await server.templates.list()).toMatchObject([{ id: 'hi' }]);
    expect(await server.segments.list()).toMatchObject([{ id: 'seen' }]);
    expect(await server.journeys.list()).toMatchObject([{ id: 'later' }]);
    expect((await server.contacts.list()).data).toMatchObject([{ phone }]);

    await server.quota.set({ quota: 2 });
    await server.templates.put({ id: 'bye', body: 'Bye' });
    await server.segments.put({ id: 'left', event: 'left' });
    await server.journeys.put({ id: 'soon', event: 'left', steps: [{ send: 'bye' }] });
    expect((await server.snapshot()).workspace).toMatchObject({
      quota: 2,
      templates: [{ id: 'hi' }, { id: 'bye' }],
      segments: [{ id: 'seen' }, { id: 'left' }],
      journeys: [{ id: 'later' }, { id: 'soon' }],
    });
    const read = server.events.waitFor({ contact: phone });
    await server.reset();
    await server.client.events.track({ event: 'seen', phone });
    expect(await read).toMatchObject({ event: 'seen' });
  });

  test('cancels the waiting work of its workspace, and of no other', async () => {
    const [receiver, otherReceiver] = [await startReceiver(reply(500)), await startReceiver(reply(500))];
    const seed = (url: string): WorkspaceSeed => ({
      templates: [{ id: 'hi', body: 'Hi' }],
      contacts: [{ phone }],
      journeys: [{ id: 'later', event: 'seen', steps: [{ wait: '1m' }, { send: 'hi' }] }],
      managedWebhooks: [{ url, events: ['message.received'] }],
    });
    const server = startServer(seed(receiver.url));
    const other = server.workspace(seed(otherReceiver.url));
    for (const workspace of [server, other]) {
      await workspace.client.events.track({ event: 'seen', phone });
      await workspace.simulate.inboundMessage({ phone, body: 'Hello' });
      await workspace.settled();
    }
    await server.reset();
    for (const workspace of [server, other]) await workspace.clock.advance('1d');
    expect([await server.journal.sends(), receiver.received.length]).toEqual([[], 1]);
    expect(await other.journal.sends()).toHaveLength(1);
    expect(otherReceiver.received).toHaveLength(3);
  });

  test('restores the faults of the seed with new ids and the same random draws', async () => {
    const server = startServer({
      contacts: [{ phone }],
      faults: [{ operation: 'contacts.find', probability: 0.5, fault: { kind: 'status', status: 503 } }],
    });
    const draws = async () => {
      const statuses: unknown[] = [];
      for (let i = 0; i < 16; i += 1) {
        statuses.push(
          await server.client.contacts.find(phone).then(
            () => 200,
            ({ status }) => status,
          ),
        );
      }
      return statuses;
    };
    const first = await draws();
    const [{ id: firstId } = { id: '' }] = await server.faults.list();
    await server.reset();
    expect(await server.faults.list()).toMatchObject([{ matched: 0, injected: 0 }]);
    expect((await server.faults.list())[0]?.id).not.toBe(firstId);
    expect(await draws()).toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 503]));
  });

  test('sets the clock to the machine’s time if the seed has none', async () => {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    const other = server.workspace({ clock: 'flowing' });
    await Promise.all([server.clock.advance('30d'), other.clock.advance('30d')]);
    machine.pass(5_000);
    await server.reset();
    await other.reset();
    expect(server.clock.now()).toBe(machine.now());
    expect(other.clock.now()).toBe(machine.now());
  });

  test('keeps other workspaces, and the waits of its own', async () => {
    const server = startServer({ templates: [{ id: 'hi', body: 'Hi' }], contacts: [{ phone }] });
    const other = server.workspace();
    await other.client.contacts.upsert({ phone });
    const waiting = server.sends.waitFor({ templateId: 'hi' });
    await server.reset();
    await server.client.transactional.send({ phone, templateId: 'hi' });
    expect(await within('the send after the reset', waiting)).toMatchObject({ phone });
    expect(await other.client.contacts.find(phone)).not.toBeNull();
  });
});
