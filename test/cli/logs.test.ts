import { describe, expect, test } from 'vitest';
import { nowhere, serveRequests, serveResponse } from './http-servers.js';
import { startProxy } from './proxy.js';
import { runAt, type Served, serve, start, temporaryFile } from './served.js';

const phone = '+15551234567';

const logs = (url: string, ...words: readonly string[]) => runAt(url, 'logs', ...words);

/** Runs `logs --follow` until it is stopped. */
const follow = (url: string, ...words: readonly string[]) =>
  start(['logs', '--follow', '--url', url, ...words]);

async function serveFrozen(): Promise<Served> {
  const seed = [
    'clock: frozen',
    'now: 2026-01-01T09:00:00Z',
    'templates: [{ id: order_update, body: "Hello {{1}}" }]',
  ];
  return serve('--seed', await temporaryFile('seed.yaml', seed.join('\n')));
}

const say = ({ ask }: Served, body: string) => ask('/control/inbound-messages', { phone, body });

describe('logs', () => {
  test('says who was sent what, why a request was refused, and when a retry comes', async () => {
    const served = await serveFrozen();
    const hook = await served.ask('/api/v1/webhooks', {
      url: 'http://127.0.0.1:1/hooks?token=of_the_receiver',
      events: ['message.received'],
    });
    const { secret } = await hook.json();
    await served.ask('/api/v1/contacts', { phone });
    const send = { phone, templateId: 'order_update', variables: { '1': 'Ada' } };
    await served.ask('/api/v1/transactional', send);
    await served.ask('/api/v1/transactional', { phone });
    await served.ask('/api/v1/contacts/find?phone=%2B15557654321');
    await say(served, `call ${phone}\nor \u001b[31mwrite`);
    await served.ask('/control/settled', {});

    const { exitCode, lines, complaints } = await logs(`${served.url}/api`);
    expect(exitCode).toBe(0);
    expect(complaints).toBe('');
    const printed = lines.join('\n');
    for (const hidden of [secret, '5551234567', '5557654321', 'test_key', 'of_the_receiver', '\u001b']) {
      expect(printed).not.toContain(hidden);
    }
    const time = '2026-01-01 09:00:00  ';
    expect(lines.map((line) => line.replace(/(message|delivery|contact)_\w+/, '$1_…'))).toEqual([
      `${time}201       POST /api/v1/webhooks`,
      `${time}201       POST /api/v1/contacts`,
      `${time}sent      order_update to +***67: "Hello Ada"`,
      `${time}200       POST /api/v1/transactional`,
      `${time}400       POST /api/v1/transactional  invalid_request: templateId is required and must be a string`,
      expect.stringMatching(/404 {7}GET \/api\/v1\/contacts\/find\?phone=%2B\*\*\*21 {2}not_found: .+/),
      `${time}message   from +***67: "call +***67\\nor \\u001b[31mwrite"`,
      expect.stringMatching(
        /retrying {2}message\.received to http:\/\/127\.0\.0\.1:1\/hooks, attempt 1 of delivery_…: .*ECONNREFUSED.*; the next comes at 2026-01-01T09:00:10\.000Z$/,
      ),
    ]);
  });

  test('tells of events, journeys and faults', async () => {
    const seed = [
      'contacts: [{ phone: "+15551234567" }]',
      'journeys: [{ id: greet, event: seen, steps: [{ wait: 1d }, { send: hello }] }]',
      'templates: [{ id: hello, body: Hello }]',
      'clock: frozen',
      'faults: [{ operation: templates.list, nth: 1, fault: { kind: rate_limit } }]',
    ];
    const served = await serve('--seed', await temporaryFile('seed.yaml', seed.join('\n')));
    await served.ask('/api/v1/events', { event: 'seen', phone });
    await served.ask('/control/clock/advance', { by: '1d' });
    await served.ask('/api/v1/templates');
    const { lines } = await logs(served.url);
    const told = lines.map((line) => line.slice(21).replace(/(contact|req)_\w+/, '$1_…'));
    expect(told).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^event {5}seen of \+\*\*\*67, contact_…$/),
        expect.stringMatching(/^waiting {3}journey greet of contact_… until /),
        expect.stringMatching(/^sent {6}hello to \+\*\*\*67 by a journey: "Hello"$/),
        expect.stringMatching(/^finished {2}journey greet of contact_…$/),
        expect.stringMatching(/^fault {5}rate_limit injected into templates\.list /),
        expect.stringMatching(/^429 {7}GET \/api\/v1\/templates .*\(injected: rate_limit\)$/),
      ]),
    );
  });

  test('prints what a newer server tells of, and says how much the journal lacks', async () => {
    const data = [{ number: 4, type: 'novelty', at: 0, of: phone }];
    const page = { data, more: false, cursor: '4', forgotten: 3 };
    const url = await serveResponse(200, 'application/json', JSON.stringify(page));
    expect(await logs(url)).toEqual({
      exitCode: 0,
      lines: ['1970-01-01 00:00:00  novelty   {"number":4,"type":"novelty","at":0,"of":"+***67"}'],
      complaints: 'The journal no longer has 3 older entries.\n',
    });
  });

  test('prints all pages of the entries of one type as masked JSON, and says once how much the journal lacks', async () => {
    const asked: (string | undefined)[] = [];
    const url = await serveRequests((request, response) => {
      asked.push(request.url);
      const number = asked.length;
      const data = [{ number, type: 'message', at: 0, phone, body: `message ${number}` }];
      response.end(JSON.stringify({ data, more: number < 3, cursor: `page ${number + 1}`, forgotten: 2 }));
    });
    const { lines, complaints } = await logs(url, '--type', 'message', '--json');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      [1, 2, 3].map((number) => ({ number, type: 'message', phone: '+***67', body: `message ${number}` })),
    );
    expect(asked).toEqual([
      '/control/journal?type=message',
      '/control/journal?type=message&cursor=page+2',
      '/control/journal?type=message&cursor=page+3',
    ]);
    expect(complaints).toBe('The journal no longer has 2 older entries.\n');
  });
});

describe('logs --follow', () => {
  test('prints what was and goes on as things happen, until Ctrl-C', async () => {
    const served = await serveFrozen();
    await say(served, 'before');
    const { terminal, stop } = follow(served.url, '--type', 'message');
    await terminal.line(/before/);
    await served.ask('/api/v1/contacts', { phone });
    await say(served, 'after');
    await terminal.line(/after/);
    expect(await stop()).toBe(0);
    expect(terminal.printed).toHaveLength(2);
    expect(terminal.complaints).toBe('');
  });

  test('loses and repeats nothing where the connection is cut, and says so', async () => {
    const served = await serveFrozen();
    const proxy = await startProxy(served);
    await say(served, 'message 1');
    const { terminal, stop } = follow(proxy.url, '--json');
    await terminal.line(/message 1"/);
    for (const number of [2, 4]) {
      proxy.cut();
      await say(served, `message ${number}`);
      await say(served, `message ${number + 1}`);
      await terminal.line(new RegExp(`message ${number + 1}"`));
    }
    expect(await stop()).toBe(0);
    expect(terminal.printed.map((line) => JSON.parse(line).number)).toEqual([1, 2, 3, 4, 5]);
    const once = `Lost the connection to ${proxy.url}. Reconnecting.\nReconnected.\n`;
    expect(terminal.complaints).toBe(once + once);
  });

  test('goes on with the journal of a server that was started anew', async () => {
    const first = await serve();
    const proxy = await startProxy(first);
    const { terminal } = follow(proxy.url, '--type', 'message');
    await say(first, 'one');
    await terminal.line(/one/);
    await first.stop();

    const second = await serve();
    proxy.lead(second.url);
    await say(second, 'two');
    await terminal.line(/two/);
    expect(terminal.printed).toHaveLength(2);
    expect(terminal.complaints).toContain('to a server that was restarted');
  });
});

describe.each([
  ['logs', ['logs']],
  ['logs --follow', ['logs', '--follow']],
  ['listen', ['listen', '--forward-to', 'http://127.0.0.1:1/hooks']],
])('%s ends with 1 and a reason', (_, words) => {
  test('where nothing responds', async () => {
    const url = await nowhere();
    const { exitCode, complaints } = await runAt(url, ...words);
    expect(exitCode).toBe(1);
    expect(complaints).toMatch(
      /^error: No connection to \S+\. Nothing listens at that host and port \(ECONNREFUSED\)\. Start a server with `messaging-automation serve`/,
    );
  });

  test('where the key is wrong', async () => {
    const { url } = await serveFrozen();
    const { exitCode, complaints } = await runAt(url, ...words, '--api-key', 'a_wrong_key');
    expect(exitCode).toBe(1);
    expect(complaints).toMatch(/^error: http\S+ has no workspace with this key\. /);
    expect(complaints).not.toContain('a_wrong_key');
  });

  const noSurface =
    'has no control surface. This command needs a reference server: start one with `messaging-automation serve`.';
  test.each([
    ['responds with 404', 404, '{"error":{"code":"not_found"}}', noSurface],
    ['asks for a key first', 401, '{"error":"unauthorized"}', noSurface],
    ['responds with a page', 200, '<!doctype html>', noSurface],
    ['responds with other JSON', 200, '{}', noSurface],
    [
      'has trouble',
      502,
      '<style>h1 { color: red }</style><h1>Bad\n Gateway</h1>',
      'responded with 502: Bad Gateway',
    ],
  ])('where what stands there %s', async (__, status, body, complaint) => {
    const type = body.startsWith('<') ? 'text/html' : 'application/json';
    const url = await serveResponse(status, type, body);
    const { exitCode, complaints } = await runAt(`${url}/api/`, ...words);
    expect({ exitCode, complaints }).toEqual({ exitCode: 1, complaints: `error: ${url} ${complaint}\n` });
  });
});
