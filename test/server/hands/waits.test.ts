import { WaitTimeoutError } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { answer, startReceiver } from '../support/receiver.js';
import { otherPhone, phone, startServer } from '../support/reference.js';

const templates = [
  { id: 'welcome', body: 'Welcome, {{1}}!' },
  { id: 'bye', body: 'Good-bye' },
];

async function withContacts() {
  const machine = new ManualClock();
  const server = startServer({
    templates,
    systemClock: machine,
    contacts: [{ phone }, { phone: otherPhone }],
  });
  const send = (to: string, name: string) =>
    server.client.transactional.send({ phone: to, templateId: 'welcome', variables: { '1': name } });
  return { server, machine, send };
}

describe('waiting for a send', () => {
  test('resolves with one that was there already', async () => {
    const { server, send } = await withContacts();
    await send(phone, 'Ada');
    expect(await server.sends.waitFor({ contact: phone, text: /Ada/ })).toMatchObject({
      text: 'Welcome, Ada!',
    });
  });

  test('resolves the moment that one happens, without any time passing', async () => {
    const { server, send } = await withContacts();
    const waiting = server.sends.waitFor({ contact: otherPhone });
    await send(phone, 'Ada');
    await send(otherPhone, 'Grace');
    expect(await waiting).toMatchObject({ phone: otherPhone });
  });

  test('resolves with the nth, those that happened before counted', async () => {
    const { server, send } = await withContacts();
    await send(phone, 'Ada');
    const second = server.sends.waitFor({ contact: phone }, { nth: 2 });
    await send(phone, 'Grace');
    expect(await second).toMatchObject({ text: 'Welcome, Grace!' });
  });

  test('names the near misses when its time is over, and no whole phone number', async () => {
    const { server, send, machine } = await withContacts();
    await send(otherPhone, 'Grace');
    const waiting = server.sends.waitFor({ contact: phone, templateId: 'welcome' }, { timeout: '1s' });
    const failure = expect(waiting).rejects.toThrow(WaitTimeoutError);
    machine.pass(1_000);
    await failure;
    const error: unknown = await waiting.catch((reason: unknown) => reason);
    expect(String(error)).toContain(
      [
        'There was no send with contact "+***67" and template "welcome" within 1000 ms.',
        'The only candidate:',
        '  - "welcome" to +***50 at 2026-01-01T00:00:00.000Z: its contact is "+***50", not "+***67"',
      ].join('\n'),
    );
    expect(machine.waiting).toBe(0);
  });

  test('does not show two contacts as one, though they look alike without their phones', async () => {
    const { server, send, machine } = await withContacts();
    await send(otherPhone, 'Grace');
    const alike = `${otherPhone.slice(0, -3)}${otherPhone.endsWith('50') ? '150' : '950'}`;
    const waiting = server.sends.waitFor({ contact: alike });
    const failure = expect(waiting).rejects.toThrow('its contact differs, but is also shown as "+***50"');
    machine.pass(2_000);
    await failure;
  });

  test('refuses a filter with a field that there is not, instead of matching everything', async () => {
    const { server, send } = await withContacts();
    await send(phone, 'Ada');
    const wrong: object = { template: 'bye' };
    const words =
      'This filter has no field "template"; did you mean templateId? Its fields are: contact, templateId, text, journeyRunId.';
    await expect(server.sends.waitFor(wrong)).rejects.toThrow(new TypeError(words));
    await expect(server.sends.find(wrong)).rejects.toThrow(words);
    await expect(server.events.find(wrong)).rejects.toThrow('Its fields are: event, contact.');
    await expect(server.deliveries.find(wrong)).rejects.toThrow(
      'Its fields are: event, contact, subscriptionId, status.',
    );
  });

  test('says so when nothing of the kind happened', async () => {
    const { server, machine } = await withContacts();
    const waiting = server.sends.waitFor();
    machine.pass(2_000);
    await expect(waiting).rejects.toThrow(
      'There was no send within 2000 ms. The journal has no entry of this kind.',
    );
  });

  test('leads, when its time is over, to the line of the test that waited', async () => {
    // By the machine's own clock: a test that moved it would itself stand in the stack.
    const server = startServer();
    const timeout = '1ms';
    const waits = [
      server.sends.waitFor({}, { timeout }),
      server.events.waitFor({}, { timeout }),
      server.deliveries.waitFor({}, { timeout }),
      server.journal.waitFor('send', undefined, { timeout }),
    ].map((wait) => wait.catch((error: Error) => error.stack));
    for (const stack of await Promise.all(waits)) {
      expect(stack).toMatch(
        /^WaitTimeoutError: There was no .+ The journal has no entry of this kind\.\n +at /,
      );
      expect(stack).toContain('waits.test.ts');
    }
  });

  test('can be given up, and leaves nothing behind', async () => {
    const { server, machine } = await withContacts();
    const controller = new AbortController();
    const waiting = server.sends.waitFor({}, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(machine.waiting).toBe(0);
    await expect(server.sends.waitFor({}, { signal: controller.signal })).rejects.toThrow('enough');
  });

  test.each([0, -1, 1.5, Number.NaN])('takes no nth of %d', async (nth) => {
    const { server } = await withContacts();
    await expect(server.sends.waitFor({}, { nth })).rejects.toThrow(TypeError);
  });
});

describe('waiting for an event', () => {
  test('resolves with the one of a contact, by its id or its phone, as with a send', async () => {
    const { server } = await withContacts();
    const contactId = String((await server.client.contacts.find(otherPhone))?.id);
    await server.client.events.track({ event: 'seen', phone });
    await server.client.events.track({ event: 'seen', contactId });
    const byPhone = await server.events.waitFor({ event: 'seen', contact: otherPhone });
    expect(byPhone).toMatchObject({ contactId, event: 'seen' });
    expect(byPhone).not.toHaveProperty('phone');
    expect(await server.events.waitFor({ contact: contactId })).toEqual(byPhone);
    expect(await server.events.find({ contact: phone })).toMatchObject([{ event: 'seen' }]);
  });

  test('is refused by the name that others do not have, and says which they have', async () => {
    const { events } = startServer();
    await expect(Reflect.apply(events.find, events, [{ contactId: 'contact_1' }])).rejects.toThrow(
      'This filter has no field "contactId"; did you mean contact?',
    );
  });
});

describe('waiting for a delivery', () => {
  test('resolves with the one of an event and a contact, once the receiver has acknowledged it', async () => {
    const receiver = await startReceiver(answer(500), answer(204));
    const server = startServer({});
    await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
    const waiting = server.deliveries.waitFor({ event: 'message.received', contact: phone });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.clock.advance('10s');
    expect(await waiting).toMatchObject({
      status: 'delivered',
      attempts: [{ status: 500 }, { status: 204 }],
    });
    expect(await server.deliveries.find({ contact: phone })).toMatchObject([{ status: 'delivered' }]);
    expect(await server.deliveries.find({ contact: otherPhone })).toEqual([]);
  });

  test('names what the receiver answered when its time is over', async () => {
    const receiver = await startReceiver(answer(500));
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.settled();
    const waiting = server.deliveries.waitFor({ event: 'contact.opted_out' });
    machine.pass(2_000);
    await expect(waiting).rejects.toThrow(
      '  - message.received, pending after attempt 1 (the receiver answered 500, not a 2xx): ' +
        'its event is "message.received", not "contact.opted_out"; its status is "pending", not "delivered"',
    );
  });

  test('redelivers the same bytes, signed, as a delivery of its own', async () => {
    const receiver = await startReceiver();
    const server = startServer({});
    const { id } = await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.settled();
    const delivery = await server.deliveries.waitFor();
    const again = await server.deliveries.redeliver(delivery.id);
    await server.settled();
    expect(again.id).not.toBe(delivery.id);
    expect(again.redeliveryOf).toBe(delivery.id);
    const [first, second] = receiver.received;
    expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    expect(second?.headers['x-service-signature']).toBe(first?.headers['x-service-signature']);
    await server.client.webhooks.delete(id);
    await expect(server.deliveries.redeliver(delivery.id)).rejects.toThrow('subscription was deleted');
    await expect(server.deliveries.redeliver('unheard of')).rejects.toThrow('no such delivery');
  });
});

describe('the journal', () => {
  test('holds every request with its exact bytes, whatever became of it', async () => {
    const server = startServer({});
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
    expect(JSON.parse(created?.answer ?? '')).toMatchObject({ properties: { phone } });
    expect(refused).toMatchObject({ path: '/api/v1/contacts?x=1', status: 400 });
    expect(new TextDecoder().decode(refused?.body)).toBe('not JSON');
    expect(await server.journal.find('request', ({ status }) => status === 400)).toEqual([refused]);
  });

  test('waits for an entry of a type', async () => {
    const server = startServer({ contacts: [{ phone }] });
    const waiting = server.journal.waitFor('event', ({ event }) => event.event === 'seen');
    await server.client.events.track({ event: 'passed', phone });
    await server.client.events.track({ event: 'seen', phone });
    expect(await waiting).toMatchObject({ type: 'event', event: { event: 'seen' } });
    expect(await server.events.waitFor({ event: 'passed' })).toMatchObject({ event: 'passed' });
    expect((await server.events.find()).map(({ event }) => event)).toEqual(['passed', 'seen']);
  });

  test('says which entries there were when its time is over', async () => {
    const machine = new ManualClock();
    const server = startServer({ contacts: [{ phone }], systemClock: machine });
    await server.client.events.track({ event: 'passed', phone });
    const waiting = server.journal.waitFor('request', ({ status }) => status === 500);
    machine.pass(2_000);
    await expect(waiting).rejects.toThrow('  - events.track, answered 202: does not match');
  });

  test('of one workspace knows nothing of another', async () => {
    const server = startServer({});
    const other = server.workspace();
    await other.client.contacts.upsert({ phone });
    expect(await server.journal.entries()).toEqual([]);
    expect(await other.journal.find('request')).toHaveLength(1);
  });
});
