import { readdir, readFile, rm, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { signTestDelivery, verifyWebhook } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../folder.js';
import { serveRequests } from './http-servers.js';
import { runCommand, serve, start, temporaryFile } from './served.js';

const hook = 'https://app.example.com/hooks';
const events = ['--events', 'message.received'];
const env = { MESSAGING_AUTOMATION_API_KEY: 'test_key' };

const webhooks = (url: string, ...words: readonly string[]) =>
  runCommand(['webhooks', ...words, '--url', url]);

const newFile = () => join(folderWith({}), 'secret');

const subscription = (id: string, fields: object = {}) => ({
  id,
  url: hook,
  events: ['message.received'],
  enabled: true,
  createdAt: 1,
  secret: `whsec_of_${id}`,
  token: 'hidden',
  ...fields,
});

/** A deployment with these subscriptions, which meets a creation in its own way, and the methods that it was called with. */
async function deployment(
  subscriptions: object[],
  create: (response: ServerResponse) => void = (response) => void response.destroy(),
) {
  const calls: string[] = [];
  const url = await serveRequests(({ method = '', url: path }: IncomingMessage, response) => {
    calls.push(method === 'DELETE' ? `${method} ${path}` : method);
    response.setHeader('Content-Type', 'application/json');
    if (method === 'POST') create(response);
    else if (method === 'DELETE') response.writeHead(204).end();
    else response.end(JSON.stringify(subscriptions));
  });
  return { url, calls };
}

const created = (response: ServerResponse, fields: object = {}) =>
  response.writeHead(201).end(JSON.stringify(subscription('new', fields)));

describe('webhooks ensure', () => {
  test('creates a subscription once, and keeps its secret in a file of its owner', async () => {
    const { url, ask } = await serve();
    const file = newFile();
    const first = await webhooks(url, 'ensure', hook, ...events, '--secret-file', file);
    expect(first).toMatchObject({ exitCode: 0, complaints: '' });
    expect(first.output).toMatch(/^webhook_\w+ is created\. Its secret is in /);
    expect(first.output).not.toMatch(/whsec_/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(file))).toEqual(['secret']);

    const again = await webhooks(url, 'ensure', 'https://APP.example.com:443/hooks', ...events);
    expect(again).toMatchObject({ exitCode: 0, output: expect.stringContaining('Nothing was changed.') });
    const json = await webhooks(url, 'ensure', hook, ...events, '--secret-file', file, '--json');
    expect(JSON.parse(json.output)).toMatchObject({ url: hook, enabled: true, created: false });

    const { data } = await (await ask('/control/subscriptions')).json();
    expect(data).toHaveLength(1);
    const { secret } = await (await ask(`/control/subscriptions/${data[0].id}/secret`)).json();
    const { body, signature } = signTestDelivery({ secret });
    expect(verifyWebhook(body, signature, await readFile(file, 'utf8'))).toBe(true);
  });

  test('prints the secret alone for --secret-file -', async () => {
    const { url } = await deployment([], created);
    const { exitCode, output, complaints } = await webhooks(
      url,
      'ensure',
      hook,
      ...events,
      '--secret-file',
      '-',
    );
    expect({ exitCode, output, complaints }).toEqual({
      exitCode: 0,
      output: 'whsec_of_new',
      complaints: '',
    });
  });

  test('prints what it created as JSON without the secret', async () => {
    const { url } = await deployment([], created);
    const words = ['ensure', hook, ...events, '--secret-file', newFile(), '--json'];
    const { output } = await webhooks(url, ...words);
    expect(JSON.parse(output)).toEqual({
      id: 'new',
      url: hook,
      events: ['message.received'],
      enabled: true,
      createdAt: 1,
      created: true,
    });
  });

  test.each([
    [
      'is disabled',
      [subscription('one', { enabled: false })],
      /one has this URL, and is disabled\. Delete it/,
    ],
    [
      'has other events',
      [subscription('one', { events: ['contact.opted_in'] })],
      /other events: contact\.opted_in/,
    ],
    ['has a secret that is not in the file', [subscription('one')], /its secret cannot be read again/],
    [
      'exists twice',
      [subscription('one'), subscription('two')],
      /2 subscriptions have this URL.*: one, two\. /,
    ],
  ])('changes nothing at a subscription that %s, and says what to do', async (_, present, complaint) => {
    const { url, calls } = await deployment(present);
    const file = newFile();
    const { exitCode, output, complaints } = await webhooks(
      url,
      'ensure',
      hook,
      ...events,
      '--secret-file',
      file,
    );
    expect({ exitCode, output, complaints }).toEqual({
      exitCode: 1,
      output: '',
      complaints: expect.stringMatching(complaint),
    });
    expect(calls).toEqual(['GET']);
    expect(await readdir(dirname(file))).toEqual([]);
  });

  test.each([
    ['there is none', () => [], 'Pass --secret-file FILE to keep it'],
    ['it exists', async () => ['--secret-file', await temporaryFile('secret', '')], 'must name a new file'],
    ['it is a folder', () => ['--secret-file', folderWith({})], 'must name a new file'],
    ['its folder is missing', () => ['--secret-file', '/nowhere/secret'], 'Nothing was created. ENOENT'],
  ])('creates nothing where the secret has no place: %s', async (_, words, complaint) => {
    const { url, calls } = await deployment([], created);
    const { exitCode, complaints } = await webhooks(url, 'ensure', hook, ...events, ...(await words()));
    expect({ exitCode, complaints }).toEqual({ exitCode: 2, complaints: expect.stringContaining(complaint) });
    expect(calls).not.toContain('POST');
  });

  test('takes an empty secret file for a secret that is lost, and quotes the id for a shell', async () => {
    const { url, calls } = await deployment([subscription("it's; x")]);
    const file = await temporaryFile('webhook-secret', '\n');
    const { exitCode, complaints } = await webhooks(url, 'ensure', hook, ...events, '--secret-file', file);
    expect(exitCode).toBe(1);
    expect(complaints).toContain("`messaging-automation webhooks delete 'it'\\''s; x'`");
    expect(calls).toEqual(['GET']);
  });

  test('says that the secret is lost where nobody reads standard output', async () => {
    const { url } = await deployment([], created);
    const all = ['webhooks', 'ensure', hook, ...events, '--secret-file', '-', '--url', url];
    const options = { env: { MESSAGING_AUTOMATION_API_KEY: 'test_key' }, outputError: new Error('EPIPE') };
    const { exitCode, complaints } = await runCommand(all, options);
    expect({ exitCode, complaints }).toEqual({
      exitCode: 1,
      complaints: expect.stringContaining('its secret is lost'),
    });
  });

  test.each([
    ['exists', [subscription('lost')], /lost has this URL now, and its secret is lost\. Delete it/],
    ['does not exist', [], /No subscription has this URL now/],
  ])(
    'sends a creation without a response once, and says that the subscription %s',
    async (_, after, complaint) => {
      const present: object[] = [];
      const { url, calls } = await deployment(present, (response) => {
        present.push(...after);
        response.destroy();
      });
      const file = newFile();
      const { exitCode, complaints } = await webhooks(url, 'ensure', hook, ...events, '--secret-file', file);
      expect({ exitCode, complaints }).toEqual({ exitCode: 1, complaints: expect.stringMatching(complaint) });
      expect(calls).toEqual(['GET', 'POST', 'GET']);
      expect(await readdir(dirname(file))).toEqual([]);
    },
  );

  test('takes a creation whose response has no secret for one with an unknown outcome', async () => {
    const { url } = await deployment([], (response) => created(response, { secret: undefined }));
    const words = ['ensure', hook, ...events, '--secret-file', newFile()];
    expect(await webhooks(url, ...words)).toMatchObject({
      exitCode: 1,
      complaints: expect.stringContaining('No subscription has this URL now'),
    });
  });

  test('says what to do where the secret of a new subscription is lost', async () => {
    const file = join(folderWith({ 'folder/other': '' }), 'folder/secret');
    const { url, calls } = await deployment([], async (response) => {
      await rm(dirname(file), { recursive: true });
      created(response);
    });
    const words = ['ensure', hook, ...events, '--secret-file', file];
    const { exitCode, complaints } = await webhooks(url, ...words);
    expect({ exitCode, complaints }).toEqual({
      exitCode: 1,
      complaints: expect.stringMatching(
        /new is created, and its secret is lost: ENOENT.* Delete it with `messaging-automation webhooks delete new`, and run this again\./,
      ),
    });
    expect(complaints).not.toContain('whsec_');
    expect(calls).toEqual(['GET', 'POST']);
  });

  test('names both where another one was created at the same time', async () => {
    const present: object[] = [];
    const { url } = await deployment(present, (response) => {
      present.push(subscription('new'), subscription('other'));
      created(response);
    });
    const file = newFile();
    const { exitCode, complaints } = await webhooks(url, 'ensure', hook, ...events, '--secret-file', file);
    expect({ exitCode, complaints }).toEqual({
      exitCode: 1,
      complaints: expect.stringContaining('new, other'),
    });
    expect(await readFile(file, 'utf8')).toBe('whsec_of_new');
  });
});

describe('webhooks list', () => {
  test('prints each subscription without its secret, and without what a terminal obeys', async () => {
    const others = { enabled: false, url: `${hook}?token=a`, events: ['a\u001b[31m'] };
    const { url } = await deployment([subscription('one'), subscription('two', others)]);
    const { output } = await webhooks(url, 'list');
    expect(output).toBe(
      `one  enabled\n  ${hook}\n  message.received\ntwo  disabled\n  ${hook}?token=a\n  a\\u001b[31m`,
    );
    const json = await webhooks(url, 'list', '--json');
    expect(JSON.parse(json.output)).toMatchObject({
      webhooks: [{ id: 'one' }, { id: 'two', enabled: false }],
    });
    expect(json.output).not.toMatch(/secret|whsec_|hidden/);
  });

  test('says that there are none', async () => {
    const { url } = await deployment([]);
    expect(await webhooks(url, 'list')).toMatchObject({ exitCode: 0, output: 'There are no subscriptions.' });
  });

  test('says in JSON what the client knows of a refusal: its outcome, its status and its code', async () => {
    const url = await serveRequests((_, response) =>
      response.writeHead(403).end('{"error":{"code":"plan_too_small","message":"Upgrade."}}'),
    );
    const { exitCode, output } = await webhooks(url, 'list', '--json');
    expect(JSON.parse(output)).toEqual({
      error: expect.stringContaining('Upgrade.'),
      exitCode,
      outcome: 'rejected',
      status: 403,
      code: 'plan_too_small',
    });
  });

  test('ends with 1 where the response is no list', async () => {
    const url = await serveRequests((_, response) => response.end('<h1>Welcome</h1>'));
    expect(await webhooks(url, 'list')).toMatchObject({ exitCode: 1, output: '' });
  });
});

describe('webhooks delete', () => {
  test.each([hook, 'one'])('deletes %s after a yes', async (named) => {
    const { url, calls } = await deployment([subscription('one'), subscription('two', { url: `${hook}/2` })]);
    const { terminal, ended } = start(['webhooks', 'delete', named, '--url', url], {
      env,
      interactive: true,
    });
    await terminal.complaint(/^Delete one, which delivers to .*\? \[y\/N\] $/);
    terminal.pipes.input.write('y\n');
    expect(await ended()).toBe(0);
    expect(terminal.output).toBe('one is deleted.');
    expect(calls).toEqual(['GET', 'DELETE /api/v1/webhooks/one']);
  });

  test.each([
    ['after a no', { interactive: true, input: 'no\n' }, 1],
    ['without a response', { interactive: true, input: '' }, 1],
    ['off a terminal', { input: 'y\n' }, 2],
  ])('deletes nothing %s', async (_, options, exitCode) => {
    const { url, calls } = await deployment([subscription('one')]);
    const result = await runCommand(['webhooks', 'delete', 'one', '--url', url], { env, ...options });
    expect(result).toMatchObject({ exitCode, complaints: expect.stringContaining('Nothing was done.') });
    expect(calls).toEqual(['GET']);
  });

  test('--yes asks nothing', async () => {
    const { url } = await deployment([subscription('one')]);
    const { exitCode, output, complaints } = await webhooks(url, 'delete', hook, '--yes', '--json');
    expect({ exitCode, complaints }).toEqual({ exitCode: 0, complaints: '' });
    expect(JSON.parse(output)).toMatchObject({ id: 'one', deleted: true });
    expect(output).not.toContain('whsec_');
  });

  test.each([
    ['unknown', [subscription('one')], 'No subscription has this URL or id'],
    [hook, [subscription('one'), subscription('two')], 'one, two'],
  ])('deletes nothing where %s is not one subscription', async (named, present, complaint) => {
    const { url, calls } = await deployment(present);
    const { exitCode, complaints } = await webhooks(url, 'delete', named, '--yes');
    expect({ exitCode, complaints }).toEqual({ exitCode: 1, complaints: expect.stringContaining(complaint) });
    expect(calls).toEqual(['GET']);
  });
});
