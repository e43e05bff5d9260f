import type { JournalEntry, ReferenceServer } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { within } from '../../waiting.js';
import { ManualClock } from '../support/manual-clock.js';
import { reply, startReceiver } from '../support/receiver.js';
import { phone, startServer } from '../support/reference.js';

const say = (server: ReferenceServer, body: string) => server.simulate.inboundMessage({ phone, body });

describe('the journal', () => {
  test('keeps each request with its exact bytes, accepted or rejected', async () => {
    const server = startServer();
    const body = '{"phone":  "+15551234567" }';
    const headers = { Authorization: `Bearer ${server.apiKey}`, 'Content-Type': 'application/json' };
    const ask = (path: string, text: string) =>
      server.fetch(new Request(`http://localhost/api${path}`, { method: 'POST', headers, body: text }));
    await ask('/v1/contacts', body);
    await ask('/v1/contacts?x=1', 'not JSON');
    const [created, refused] = await server.journal.find('request');
    expect(created).toMatchObject({
      operation: 'contacts.upsert',
      method: 'POST',
      path: '/api/v1/contacts',
      status: 201,
    });
    expect(new TextDecoder().decode(created?.body)).toBe(body);
    expect(JSON.parse(created?.responseBody ?? '')).toMatchObject({ properties: { phone } });
    expect(refused).toMatchObject({ path: '/api/v1/contacts?x=1', status: 400 });
    expect(new TextDecoder().decode(refused?.body)).toBe('not JSON');
    expect(await server.journal.find('request', ({ status }) => status === 400)).toEqual([refused]);
  });

  test('keeps the texts of users in responses, even one that begins like a signing secret', async () => {
    const server = startServer();
    const note = 'whsec_ is how it begins, "she said"';
    await server.client.contacts.upsert({ phone, properties: { note } });
    await server.client.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['message.received'] });
    const [ofContact, ofWebhook] = await server.journal.find('request');
    expect(JSON.parse(ofContact?.responseBody ?? '')).toMatchObject({ properties: { note } });
    expect(JSON.parse(ofWebhook?.responseBody ?? '')).toMatchObject({ secret: 'whsec_***' });
  });

  test('describes the entries of a type when a wait times out, without whole phone numbers', async () => {
    const receiver = await startReceiver(reply(500));
    const machine = new ManualClock();
    const server = startServer({
      systemClock: machine,
      contacts: [{ phone }],
      templates: [{ id: 'hi', body: 'Hi' }],
      journeys: [{ id: 'greet', event: 'seen', steps: [{ wait: '1h' }] }],
      managedWebhooks: [{ url: receiver.url, events: ['message.received'] }],
    });
    const contact = (await server.contacts.read(phone))?.id;
    await server.client.transactional.send({ phone, templateId: 'hi' });
    await server.client.events.track({ phone, event: 'seen' });
    await say(server, 'Hello');
    await server.faults.add({ operation: 'templates.list', fault: { kind: 'reset', when: 'before_commit' } });
    await server.client.templates.list().catch(() => {});
    await server.settled();
    const descriptions: Readonly<Record<Exclude<JournalEntry['type'], 'fault'>, string>> = {
      request: 'templates.list, no response',
      send: 'send of "hi" to +***67',
      event: `event "seen" of ${contact}`,
      message: 'message from +***67',
      attempt: 'attempt 1 at a message.received, now pending',
      journey: `journey "greet" of ${contact}, waiting`,
      change: 'change faults.add',
    };
    for (const [type, description] of Object.entries(descriptions)) {
      const waiting: Promise<unknown> = Reflect.apply(server.journal.waitFor, server, [type, () => false]);
      machine.pass(2_000);
      await expect(waiting).rejects.toThrow(`  - ${description}: does not match`);
    }
  });
});

test('journal.follow yields each new entry, and goes on after a reset', async () => {
  const server = startServer();
  await say(server, 'before');
  const seen: string[] = [];
  const following = (async () => {
    for await (const entry of server.journal.follow()) {
      if (entry.type === 'message') seen.push(entry.body);
      if (seen.length === 1) await server.reset();
      if (seen.length === 2) return;
      await say(server, 'two');
    }
    seen.push('the end');
  })();
  await say(server, 'one');
  await within('two entries', following, () => seen);
  expect(seen).toEqual(['one', 'two']);
});
