import { describe, expect, test } from 'vitest';
import { type NumberedEntry, relationsOf } from '../../../src/server/inspection/inspection.js';
import { control } from '../control-routes/support.js';
import { reply, startReceiver } from '../support/receiver.js';
import { askWith, field, otherPhone, phone, refusal, startServer } from '../support/reference.js';

const told = (entries: readonly NumberedEntry[]) => entries.map(({ number, type }) => `${number} ${type}`);

const welcome = {
  contacts: [{ phone }],
  templates: [{ id: 'welcome', body: 'Welcome!' }],
  journeys: [{ id: 'greet', event: 'seen', steps: [{ send: 'welcome' }] }],
};

describe('journal.inspect', () => {
  test('returns the causes and the effects of an entry', async () => {
    const server = startServer(welcome);
    await server.client.events.track({ phone, event: 'seen' });
    await server.settled();
    const entries = (await server.journal.entries()).map(({ type }, index) => `${index + 1} ${type}`);
    expect(entries).toEqual(['1 event', '2 request', '3 journey', '4 send', '5 journey']);

    const event = await server.journal.inspect(1);
    expect(event.entry).toMatchObject({ number: 1, type: 'event', phone });
    expect([told(event.causes), told(event.effects)]).toEqual([['2 request'], ['3 journey', '5 journey']]);
    const send = await server.journal.inspect(4);
    expect([told(send.causes), send.effects]).toEqual([['3 journey'], []]);
  });

  test('gives each of two opt-outs at the same instant to the contact who wrote', async () => {
    const receiver = await startReceiver(reply(204));
    const server = startServer();
    await server.managedWebhooks.create({ url: receiver.url, events: ['contact.opted_out'] });
    for (const each of [phone, otherPhone])
      await server.simulate.inboundMessage({ phone: each, body: 'STOP' });
    await server.settled();
    const attempts = (await server.journal.entries()).flatMap((entry, index) =>
      entry.type === 'attempt' ? [{ number: index + 1, bodyText: entry.delivery.bodyText }] : [],
    );
    expect(attempts).toHaveLength(2);
    for (const { number, bodyText } of attempts) {
      const { causes } = await server.journal.inspect(number);
      expect(causes).toMatchObject([{ type: 'message', phone: JSON.parse(bodyText).data.phone }]);
    }
  });

  test('lists the first 50 effects', async () => {
    const receiver = await startReceiver(reply(204));
    const server = startServer();
    await server.managedWebhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.settled();
    const [, message, attempt] = await server.journal.entries();
    if (message === undefined || attempt === undefined) throw new Error('The journal has too few entries.');
    const cause = { ...message, number: 1 };
    const journal = [cause, ...Array.from({ length: 60 }, (_, i) => ({ ...attempt, number: i + 2 }))];
    expect(told(relationsOf(cause, journal).effects)).toEqual(told(journal.slice(1, 51)));
  });

  test('rejects a number that the journal does not have, and finds later numbers after a reset', async () => {
    const server = startServer();
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    for (const number of [0, 2, 1.5]) {
      await expect(server.journal.inspect(number)).rejects.toThrow(
        'The journal has no entry with this number',
      );
    }
    await server.reset();
    await expect(server.journal.inspect(1)).rejects.toThrow('The journal has no entry with this number');
    await server.simulate.inboundMessage({ phone, body: 'Again' });
    expect((await server.journal.inspect(2)).entry).toMatchObject({ number: 2, body: 'Again' });
  });
});

describe('journal.testSince', () => {
  test('has the messages after an entry, with the time between them, and the cause of what they led to', async () => {
    const server = startServer(welcome);
    await server.simulate.inboundMessage({ phone, body: 'before' });
    await server.simulate.inboundMessage({ phone, body: 'one' });
    await server.clock.advance('1h');
    await server.simulate.inboundMessage({ phone, body: 'two' });
    const text = await server.journal.testSince(1);
    expect(text).toMatch(/says\('one'\);\n {2}await server\.clock\.advance\('1h'\);\n.*says\('two'\)/);
    expect(text).not.toContain('before');
    const { body } = await control(server)('GET', '/journal-test?since=1');
    expect(body).toEqual({ test: text });
  });

  test('rejects nothing, too much, and a journal that has dropped a part', async () => {
    const server = startServer();
    await expect(server.journal.testSince()).rejects.toThrow('Nothing has happened since entry 0.');
    for (let count = 0; count < 1_001; count += 1) {
      await server.simulate.inboundMessage({ phone, body: 'Hello' });
    }
    await expect(server.journal.testSince()).rejects.toThrow(
      'since has 1001 entries after it; a test can have 1000',
    );
    expect(await server.journal.testSince(1)).toContain('Hello');
    await server.reset();
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await expect(server.journal.testSince(7)).rejects.toThrow('The journal no longer has entry 8.');
  });
});

describe('GET /control/journal/:number', () => {
  test('returns the entry as the journal lists it, with its relations and copies', async () => {
    const server = startServer(welcome);
    await server.client.transactional.send({ phone, templateId: 'welcome' });
    const ask = control(server);
    const listed = field((await ask('GET', '/journal')).body, 'data');
    const { status, body } = await ask('GET', '/journal/2');
    expect(status).toBe(200);
    expect(body).toEqual({
      number: 2,
      entry: field(listed, '1'),
      causes: [],
      effects: [field(listed, '0')],
      copies: (await server.journal.inspect(2)).copies,
    });
  });

  test.each(['0', '9', '1.0', '-1', '1e0', 'x'])('responds with 404 to the number %s', async (number) => {
    const server = startServer();
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    const { status, body } = await control(server)('GET', `/journal/${number}`);
    expect([status, body]).toEqual([404, refusal('not_found')]);
  });

  test.each([
    ['localhost:4010', 'http://localhost:4010'],
    ['[::1]:80', 'http://[::1]:80'],
    ["x';rm -rf /;'", 'http://127.0.0.1:4010'],
    ['$(id)', 'http://127.0.0.1:4010'],
    ['a/b', 'http://127.0.0.1:4010'],
  ])('takes the URL of the command from the Host header %s', async (Host, origin) => {
    const server = startServer();
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    const { body } = await askWith(server)('GET', '/../control/journal/1', undefined, { Host });
    expect(String(field(field(body, 'copies'), 'curl'))).toContain(`${origin}/control/inbound-messages`);
  });
});

test('no copy contains a key or a secret', async () => {
  const server = startServer({ apiKey: 'key_of_the_workspace' });
  const { secret } = await server.client.webhooks.create({
    url: 'https://example.com/hooks',
    events: ['message.received'],
  });
  await server.simulate.inboundMessage({ phone, body: `My secret is ${secret}!` });
  for (const number of [1, 2]) {
    const text = JSON.stringify((await server.journal.inspect(number)).copies);
    expect(text).not.toContain('key_of_the_workspace');
    expect(text).not.toContain(secret);
  }
});
