import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { NumberedEntry } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { control } from '../control-routes/support.js';
import { answer, startReceiver } from '../support/receiver.js';
import { askWith, field, phone, refusal, startServer } from '../support/reference.js';

const told = (entries: readonly NumberedEntry[]) => entries.map(({ number, type }) => `${number} ${type}`);

const welcome = {
  contacts: [{ phone }],
  templates: [{ id: 'welcome', body: 'Welcome!' }],
  journeys: [{ id: 'greet', event: 'seen', steps: [{ send: 'welcome' }] }],
};

describe('journal.inspect', () => {
  test('says what caused an entry, and what it caused', async () => {
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

  test('names the message that a delivery is of, also where its data names none', async () => {
    const receiver = await startReceiver(answer(204));
    const server = startServer();
    await server.managedWebhooks.create({
      url: receiver.url,
      events: ['message.received', 'contact.opted_out'],
    });
    await server.simulate.inboundMessage({ phone, body: 'Stop' });
    await server.settled();
    const { effects } = await server.journal.inspect(1);
    expect(told(effects)).toEqual(['2 attempt', '3 attempt']);
    for (const { number } of effects)
      expect(told((await server.journal.inspect(number)).causes)).toEqual(['1 message']);
  });

  test('refuses a number that the journal does not have', async () => {
    const server = startServer();
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    for (const number of [0, 2, 1.5]) {
      await expect(server.journal.inspect(number)).rejects.toThrow(
        'The journal has no entry with this number',
      );
    }
    await server.reset();
    await expect(server.journal.inspect(1)).rejects.toThrow('The journal has no entry with this number');
  });
});

describe('GET /control/journal/:number', () => {
  test('gives the entry as the journal lists it, with its relations and copies', async () => {
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
      copies: {
        curl: [
          'curl http://127.0.0.1:4010/api/v1/transactional',
          '-H "Authorization: Bearer $MESSAGING_AUTOMATION_API_KEY"',
          "-H 'Content-Type: application/json'",
          `-d '{"phone":"${phone}","templateId":"welcome"}'`,
        ].join(' \\\n  '),
        code: expect.stringContaining(
          `await messaging.transactional.send({ phone: '${phone}', templateId: 'welcome' });`,
        ),
        test: expect.stringContaining("server.journal.find('request')"),
      },
    });
  });

  test.each(['0', '9', '1.0', '-1', '1e0', 'x'])('has no entry %s', async (number) => {
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

test('no copy has a key or a secret', async () => {
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

test('a shell takes the command as it is, whatever the contact wrote', async () => {
  const server = startServer();
  const body = 'It\'s $HOME and `id` and \\ "x"\n!';
  await server.simulate.inboundMessage({ phone, body });
  const { curl } = (await server.journal.inspect(1)).copies;
  const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${curl}`], {
    env: { MESSAGING_AUTOMATION_API_KEY: 'the_key' },
  });
  expect(stdout.split('\0')).toEqual([
    'http://127.0.0.1:4010/control/inbound-messages',
    '-H',
    'Authorization: Bearer the_key',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify({ phone, body }),
    '',
  ]);
});
