import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { control } from '../../src/cli/running-server/operations.js';
import { controlClientOf } from '../../src/cli/running-server/options.js';
import { reasonIn } from '../../src/cli/running-server/responses.js';
import { ManualClock } from '../server/support/manual-clock.js';
import { settle, until, withResolvers } from '../waiting.js';
import { FakeTerminal } from './fake-terminal.js';
import { serveRequests } from './http-servers.js';

const secret = 'whsec_of_the_listener';

test.each([302, 307])('sends neither key nor body to where a %i points', async (status) => {
  const strayed: unknown[] = [];
  const elsewhere = await serveRequests((request, response) => {
    strayed.push(request.url);
    response.end('{"operations":[]}');
  });
  const url = await serveRequests((request, response) => {
    response.writeHead(status, { Location: elsewhere + request.url }).end();
  });
  const surface = controlClientOf(new FakeTerminal(), { url, apiKey: 'test_key' });
  await expect(surface.ask(control.listeners.create, { body: { secret } })).rejects.toThrow(
    `${url} has no control surface.`,
  );
  await expect(
    surface.stream(control.journal.follow, { signal: new AbortController().signal }),
  ).rejects.toThrow(`${url} has no control surface.`);
  expect(strayed).toEqual([]);
});

test.each([
  [429, true, 429],
  [503, true, 503],
  [400, false, 400],
  [404, false, 404],
])('says of a %i whether a later try may succeed', async (status, mayPass, refusedWith) => {
  const url = await serveRequests(({ url: path }, response) => {
    if (path === '/control') return void response.end('{"operations":[]}');
    response.writeHead(status).end(`test_key, ${secret} \u001b[31m of +15551234567`);
  });
  const failure = controlClientOf(new FakeTerminal(), { url, apiKey: 'test_key' }).ask(control.clock.now);
  await expect(failure).rejects.toMatchObject({
    mayPass,
    facts: { status: refusedWith },
    message: expect.stringContaining(`${status}: ***, whsec_*** \\u001b[31m of +***67`),
  });
});

test.each([
  ['is cut', (response: ServerResponse) => response.write('{', () => response.destroy())],
  [
    'never ends',
    (response: ServerResponse, ending: AbortController) => response.write('{', () => ending.abort()),
  ],
])('a refusal whose list of operations %s is an error that says so', async (_, index) => {
  const ending = new AbortController();
  const url = await serveRequests((request, response) => {
    if (request.url === '/control') index(response, ending);
    else response.writeHead(404).end();
  });
  const { signal } = ending;
  const failure = controlClientOf(new FakeTerminal(), { url, apiKey: 'test_key' }).ask(control.clock.now, {
    signal,
  });
  await expect(failure).rejects.toMatchObject({ name: 'CommandFailure', mayPass: true });
});

describe('limits', () => {
  /** A surface at a server that responds as told, by a clock that the test moves. */
  async function surfaceAt(respond: (response: ServerResponse) => void) {
    const clock = new ManualClock();
    const url = await serveRequests((_, response) => respond(response));
    return {
      clock,
      url,
      surface: controlClientOf(new FakeTerminal({ clock }), { url, apiKey: 'test_key' }),
    };
  }

  test.each([
    ['does not come', () => {}],
    ['never ends', (response: ServerResponse) => response.write('{')],
    ['is a refusal that never ends', (response: ServerResponse) => response.writeHead(404).write('{')],
  ])('a response that %s ends after a minute, and not before', async (_, respond) => {
    const begun = withResolvers();
    const { clock, url, surface } = await surfaceAt((response) => {
      respond(response);
      begun.resolve();
    });
    const ended = surface.ask(control.clock.now).catch((error: unknown) => error);
    await begun.promise;
    clock.pass(59_999);
    await settle();
    expect(clock.waiting).toBe(1);
    clock.pass(1);
    expect(await ended).toMatchObject({
      name: 'CommandFailure',
      mayPass: true,
      message: expect.stringMatching(
        `^No connection to ${url}\\. The reason: no complete response in time\\.`,
      ),
    });
    expect(clock.waiting).toBe(0);
  });

  test('a call can have another limit, or its own signal and then no limit', async () => {
    const { clock, surface } = await surfaceAt(() => {});
    const short = surface.ask(control.clock.now, { timeout: 5 });
    clock.pass(5);
    await expect(short).rejects.toThrow('no complete response in time');
    const ending = new AbortController();
    const own = surface.ask(control.clock.now, { signal: ending.signal });
    expect(clock.waiting).toBe(0);
    ending.abort(new Error('as told'));
    await expect(own).rejects.toThrow('as told');
  });

  test('a response of 64 MiB is read, and a byte more is refused', async () => {
    const most = 64 * 2 ** 20;
    const ask = async (length: number) => {
      const { surface } = await surfaceAt((response) => response.end('{"now":1}'.padEnd(length)));
      return surface.ask(control.clock.now, { expected: 'now' });
    };
    expect(await ask(most)).toEqual({ now: 1 });
    await expect(ask(most + 1)).rejects.toThrow('sends more than 64 MiB. It is not a reference server.');
  });

  test('the pages of a list have a limit each', async () => {
    let page = 0;
    const { clock, surface } = await surfaceAt((response) => {
      page += 1;
      if (page < 3) response.end(JSON.stringify({ data: [page], more: true, cursor: page }));
    });
    const read: unknown[] = [];
    const reading = (async () => {
      for await (const { data } of surface.pages(control.sends.find)) {
        read.push(data);
        clock.pass(59_999);
      }
    })().catch((error: unknown) => error);
    await until('the third page', () => page === 3);
    clock.pass(60_000);
    expect(await reading).toMatchObject({ message: expect.stringContaining('no complete response in time') });
    expect(read).toEqual([[1], [2]]);
  });
});

test('masks each value of JSON, also in lists, and leaves it JSON', () => {
  const { json } = controlClientOf(new FakeTerminal(), { url: 'http://127.0.0.1:1', apiKey: 'test_key' });
  const value = {
    phones: ['+15551234567', 15557654321, { phone: '442071838750' }],
    secret,
    note: 'test_key \u001b',
    test_key: [true, null, 12],
    count: 15551234567,
  };
  expect(JSON.parse(json(value))).toEqual({
    phones: ['+***67', '***21', { phone: '***50' }],
    secret: 'whsec_***',
    note: '*** \u001b',
    '***': [true, null, 12],
    count: 15551234567,
  });
  expect(json(value)).not.toContain('\u001b');
});

const details = [{ field: 'a', message: 'is bad' }, { field: '', message: 'is worse' }, {}];

test.each([
  ['nested', '{"error":{"code":"a_code","message":"A message."}}', 'a_code: A message.'],
  ['details', JSON.stringify({ error: { code: 'a_code', details } }), 'a_code: a is bad; the body is worse'],
  ['a page', '<html><title>Bad\n Gateway</title><p>nginx</p>', 'Bad Gateway nginx'],
  ['a long text', 'x'.repeat(300), `${'x'.repeat(200)}…`],
])('the reason in an error body is read from %s', (_, body, reason) => {
  expect(reasonIn(body)).toBe(reason);
});
