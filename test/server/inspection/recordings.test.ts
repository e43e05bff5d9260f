import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { otherPhone, phone, startServer } from '../support/reference.js';
import { copyFails, runCopy, withoutAnything, withoutLastAct } from './run-copy.js';
import { sessionOf } from './sessions.js';
import { stories } from './stories.js';

describe('a recording', () => {
  // Each with its numbers, so that a failure can be done again. The exhaustive tier has forty.
  test.each([2, 7, 13])(
    'of session %i passes, and fails where the last thing does not happen',
    async (number) => {
      const { server, since } = await sessionOf(number);
      const text = await server.journal.testSince(since);
      expect(text).not.toMatch(/Left out|had no time/);
      await runCopy(text);
      expect(await copyFails(withoutLastAct(text)), text).toBe(true);
    },
  );

  test('restores the quota and sends again, as the page offers it', async () => {
    const server = startServer({ quota: 0, contacts: [{ phone }], templates: [{ id: 'hi', body: 'Hi' }] });
    const send = { phone, templateId: 'hi' };
    await server.client.transactional.send(send).catch(() => {});
    await server.quota.set({ quota: 100 });
    await server.client.transactional.send(send);
    const text = await server.journal.testSince();
    expect(text).toContain('  await server.quota.set({ quota: 100 });\n');
    await runCopy(text);
    expect(await copyFails(text.replace(/ +await server\.quota\.set.*\n/, ''))).toBe(true);
  });

  test('begins with what was changed during it as it was before', async () => {
    const server = startServer({
      contacts: [{ phone }, { phone: otherPhone }],
      templates: [
        { id: 'hi', body: 'Hi', status: 'paused' },
        { id: 'gone', body: 'Gone' },
      ],
      specGaps: { unknownIdStatus: 410 },
    });
    const send = (to: string, templateId: string) =>
      server.client.transactional.send({ phone: to, templateId }).catch(() => {});
    await send(phone, 'hi');
    await send(phone, 'gone');
    await server.templates.put({ id: 'hi', body: 'Hello' });
    await server.templates.update('hi', { body: 'Hey' });
    await server.templates.remove('gone');
    await server.specGaps.set({ unknownIdStatus: 404 });
    await send(otherPhone, 'hi');
    await send(otherPhone, 'gone');
    await server.client.contacts.get('nobody').catch(() => {});
    const text = await server.journal.testSince();
    expect(text).toContain("[{ id: 'hi', body: 'Hi', status: 'paused' }, { id: 'gone', body: 'Gone' }]");
    expect(text).toContain('specGaps: { unknownIdStatus: 410 }');
    expect(text).not.toContain('Left out');
    await runCopy(text);
  });

  test('tells two subscriptions at one URL apart, and two runs of two contacts', async () => {
    const responses = [500, 200, 200, 404];
    const server = startServer({
      contacts: [{ phone }, { phone: otherPhone }],
      templates: [{ id: 'hi', body: 'Hi' }],
      journeys: [{ id: 'greet', event: 'seen', steps: [{ wait: '1h' }, { send: 'hi' }] }],
      receiverAddresses: 'any',
      fetch: async () => new Response(null, { status: responses.shift() ?? 200 }),
    });
    const webhook = { url: 'https://example.com/hooks', events: ['message.received'] } as const;
    await server.client.webhooks.create(webhook);
    await server.managedWebhooks.create(webhook);
    await server.contact(phone).says('Hello');
    await server.settled();
    for (const each of [phone, otherPhone, phone])
      await server.client.events.track({ phone: each, event: 'seen' });
    await server.clock.advance('2h');
    const text = await server.journal.testSince();
    expect(text).not.toContain('Left out');
    expect(text).toContain("delivery.url === 'https://example.com/hooks?subscription=2'");
    for (const name of ['eventId', 'eventId2', 'eventId3'])
      expect(text).toContain(`run.eventId === ${name})`);
    await runCopy(text);
  });

  test('leaves out what does not happen again, and says so', async () => {
    const server = startServer({ contacts: [{ phone, properties: { city: 'Paris' } }] });
    const segment = { id: 'locals', where: [{ property: 'city', equals: 'Paris' }] };
    await server.segments.put(segment);
    await server.templates.put({ id: 'hi', body: 'Hi' });
    await server.journeys.put({
      id: 'greet',
      event: 'seen',
      steps: [{ branch: { segment: 'locals' }, do: [{ send: 'hi' }] }],
    });
    await server.client.events.track({ phone, event: 'seen' });
    await server.settled();
    const contact = await server.contacts.read(phone);
    // Nothing says any more which city the contact had.
    await server.client.contacts.delete(contact?.id ?? '');
    const text = await server.journal.testSince();
    expect(text).toContain(
      '  // Left out, because they differ in a fresh workspace: the entries of type send\n',
    );
    await runCopy(text);
    expect(await copyFails(withoutLastAct(text))).toBe(true);
  });

  test('goes on after a snapshot was loaded, whose ids it has', async () => {
    const server = startServer({ contacts: [{ phone }], templates: [{ id: 'hi', body: 'Hi' }] });
    const { id } = (await server.contacts.read(phone)) ?? { id: '' };
    const snapshot = await server.snapshot();
    await server.client.contacts.delete(id);
    await server.client.contacts.get(id).catch(() => {});
    await server.restore(snapshot);
    await server.client.contacts.get(id);
    const text = await server.journal.testSince();
    expect(text).toContain('await server.restore({');
    expect(text).not.toContain('Left out');
    await runCopy(text);
    expect(await copyFails(text.replace(/ {2}await server\.restore\((?:.|\n)*?\n {2}\}\);\n/, ''))).toBe(
      true,
    );
  });

  test('of which the journal does not keep a snapshot begins after it', async () => {
    const server = startServer({ contacts: [{ phone, properties: { firstName: 'A'.repeat(70_000) } }] });
    await server.client.contacts.find(otherPhone);
    await server.restore(await server.snapshot());
    await server.client.contacts.find(phone);
    const [change] = await server.journal.find('change');
    expect(change).not.toHaveProperty('arguments');
    const text = await server.journal.testSince();
    expect(text).not.toContain(otherPhone);
    await runCopy(text);
  });

  test('has what was changed before it, but after the cause of what it has', async () => {
    const server = startServer({
      contacts: [{ phone }],
      templates: [{ id: 'hi', body: 'Hi' }],
      journeys: [{ id: 'greet', event: 'seen', steps: [{ wait: '1h' }, { send: 'hi' }] }],
    });
    await server.client.events.track({ phone, event: 'seen' });
    await server.settled();
    await server.templates.update('hi', { body: 'Hello' });
    const since = (await server.journal.entries()).length;
    await server.clock.advance('2h');
    const text = await server.journal.testSince(since);
    expect(text).toContain("templates: [{ id: 'hi', body: 'Hi' }]");
    expect(text).toContain("await server.templates.update('hi', { body: 'Hello' });");
    await runCopy(text);
  });

  test('moves its clock by whole seconds, and stays at most one ahead', async () => {
    const machine = new ManualClock();
    const server = startServer({ clock: 'flowing', systemClock: machine });
    for (const body of ['one', 'two', 'three', 'four']) {
      await server.contact(phone).says(body);
      machine.pass(1_600);
    }
    const text = await server.journal.testSince();
    expect(text.match(/clock\.advance\('2s'\)/g)).toHaveLength(2);
  });

  test('never has a key or a secret, and rotates a key of its own', async () => {
    const server = startServer();
    const key = await server.keys.issue();
    const next = await server.keys.rotate(key);
    await server.keys.revoke(next);
    await server.managedWebhooks.create({
      url: 'http://127.0.0.1:9/',
      events: ['message.received'],
      secret: 'whsec_abc',
    });
    const text = await server.journal.testSince();
    for (const hidden of [key, next, server.apiKey, 'whsec_abc']) expect(text).not.toContain(hidden);
    expect(text).toContain('const key2 = await server.keys.rotate(key);\n');
    await runCopy(text);
  });
});

describe('the copied test of an entry', () => {
  test.each(Object.entries(stories))(
    'of the story %s passes, and fails where it does not happen',
    async (_, start) => {
      const server = await start();
      const entries = await server.journal.entries();
      const kinds = new Map(entries.map(({ type }, index) => [type, index + 1]));
      for (const number of kinds.values()) {
        const { copies } = await server.journal.inspect(number);
        await runCopy(copies.test);
        expect(await copyFails(withoutAnything(copies.test)), copies.test).toBe(true);
      }
    },
  );

  test('repeats each change of a workspace', async () => {
    const { server } = await sessionOf(5, 0);
    const { id } = await server.managedWebhooks.create({
      url: 'http://127.0.0.1:9/',
      events: ['message.received'],
    });
    const rule = await server.faults.add({ operation: 'any', fault: { kind: 'malformed_json' } });
    await rule();
    await server.faults.clear();
    await server.subscriptions.remove(id);
    await server.clock.advance('1h');
    await server.clock.set(server.clock.now());
    await server.keys.rotate(await server.keys.issue());
    await server.templates.remove('thanks');
    await server.segments.remove('locals');
    await server.journeys.remove('greet');
    await server.receiver.set({ mode: 'error' });
    await server.restore(await server.snapshot());
    const entries = await server.journal.entries();
    for (const [index, { type }] of entries.entries()) {
      expect(type).toBe('change');
      const { copies } = await server.journal.inspect(index + 1);
      await runCopy(copies.test);
      expect(await copyFails(withoutAnything(copies.test)), copies.test).toBe(true);
    }
  });
});
