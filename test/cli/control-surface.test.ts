import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { controlSurfaceOf } from '../../src/cli/running-server/options.js';
import { reasonIn } from '../../src/cli/running-server/responses.js';
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
  const surface = controlSurfaceOf(new FakeTerminal(), { url, apiKey: 'test_key' });
  await expect(surface.ask('POST', '/control/listeners', { body: { secret } })).rejects.toThrow(
    `${url} has no control surface.`,
  );
  await expect(surface.stream('/control/stream', {})).rejects.toThrow(`${url} has no control surface.`);
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
  const failure = controlSurfaceOf(new FakeTerminal(), { url, apiKey: 'test_key' }).ask(
    'GET',
    '/control/clock',
  );
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
  const failure = controlSurfaceOf(new FakeTerminal(), { url, apiKey: 'test_key' }).ask(
    'GET',
    '/control/clock',
    { signal },
  );
  await expect(failure).rejects.toMatchObject({ name: 'CommandFailure', mayPass: true });
});

test('masks each value of JSON, also in lists, and leaves it JSON', () => {
  const { json } = controlSurfaceOf(new FakeTerminal(), { url: 'http://127.0.0.1:1', apiKey: 'test_key' });
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
