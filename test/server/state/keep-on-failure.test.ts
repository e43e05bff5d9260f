import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  createReferenceServer,
  type KeepOnFailureOptions,
  keepOnFailure,
  type ReferenceWorkspace,
} from 'messaging-automation/server';
import { verifyWebhook } from 'messaging-automation/webhooks';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { askAt, runCommand, start, startServe } from '../../cli/served.js';
import { folderWith } from '../../folder.js';
import { settle } from '../../waiting.js';
import { hang, reply, startReceiver } from '../support/receiver.js';
import { otherPhone, phone, seed, startServer } from '../support/reference.js';

let directory: string;

beforeEach(() => {
  directory = join(folderWith({}), 'of', 'tests');
});

type World = ReferenceWorkspace | (() => ReferenceWorkspace);

/** Lets a test fail with this error, and gives what it throws. */
async function thrownBy(world: World, error: unknown, options: KeepOnFailureOptions = {}) {
  const body = keepOnFailure(world, () => Promise.reject(error), { name: 'a test', directory, ...options });
  return body().then(
    () => expect.unreachable('The test has passed.'),
    (thrown: unknown) => ({ thrown }),
  );
}

/** Lets a test fail, and gives its error. */
async function failureOf(world: World, options?: KeepOnFailureOptions): Promise<unknown> {
  const { thrown } = await thrownBy(world, new Error('It is not as expected.'), options);
  return thrown;
}

/** The only file of the failed tests. */
function onlyFile(): string {
  const [name = '', ...others] = readdirSync(directory);
  expect(others).toEqual([]);
  return join(directory, name);
}

const stateIn = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

/** What a person sees of a workspace in the page. */
async function visibleAt(url: string, apiKey: string): Promise<Readonly<Record<string, unknown>>> {
  const ask = askAt(url, apiKey);
  const paths = ['clock', 'contacts', 'journal', 'deliveries', 'sends', 'events', 'journey-runs', 'faults'];
  const more = ['subscriptions', 'quota', 'templates', 'journeys', 'segments', 'spec-gaps'];
  const responses = [...paths, ...more].map(async (path) => {
    const response = await ask(`/control/${path}`);
    expect(response.status, path).toBe(200);
    const { cursor: _, ...body } = await response.json();
    return [path, body] as const;
  });
  return Object.fromEntries(await Promise.all(responses));
}

describe('a failed test', () => {
  test('leaves its world, which serve --state shows as it was', async () => {
    const receiver = await startReceiver(reply(500), reply(204));
    const server = startServer({
      ...seed,
      now: '2026-01-01T09:00:00Z',
      journeys: [
        {
          id: 'thank',
          event: 'order_placed',
          steps: [{ wait: '1d' }, { send: 'welcome', variables: { '1': 'you' } }],
        },
      ],
      faults: [{ operation: 'templates.list', fault: { kind: 'malformed_json' } }],
    });
    const { url } = await server.listen();
    const workspace = server.workspace({ ...seed, now: '2026-01-01T09:00:00Z' });
    const hook = await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.client.events.track({ event: 'order_placed', phone });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.client.templates.list().catch(() => {});
    await server.clock.advance('1s');
    const visible = await visibleAt(url, server.apiKey);

    const error = await failureOf(server, { name: 'orders > thanks for an order' });
    const file = onlyFile();
    expect(error).toMatchObject({
      message: `It is not as expected.\n\nSee what happened in this test:\n  npx messaging-automation serve --port 0 --state ${file}`,
    });
    await server.close();
    const before = readFileSync(file);

    const served = await startServe(['--state', file]);
    const other = await startServe(['--state', file]);
    expect(served.ready).toMatchObject({
      state: {
        failedTest: 'orders > thanks for an order',
        workspaces: 2,
        clock: 'frozen',
        time: '2026-01-01T09:00:01.000Z',
        key: 'new',
      },
    });
    expect(await visibleAt(served.url, served.apiKey)).toEqual(visible);
    expect(await visibleAt(other.url, other.apiKey)).toEqual(visible);
    const listed = await (await served.ask('/control/workspaces')).json();
    expect(listed).toMatchObject({ data: [{ workspaceId: server.id }, { workspaceId: workspace.id }] });

    await served.ask('/control/clock/advance', { by: '1d' });
    expect(receiver.received).toHaveLength(2);
    const [, retry] = receiver.received;
    const signature = String(retry?.headers['x-service-signature']);
    expect(verifyWebhook(retry?.body ?? '', signature, hook.secret)).toBe(true);
    const { sends } = await visibleAt(served.url, served.apiKey);
    expect(sends).toMatchObject({ data: [{ text: 'Welcome, you!' }] });
    expect([await served.stop(), await other.stop()]).toEqual([0, 0]);
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(directory)).toHaveLength(1);
  });

  test('leaves its file for its owner alone, without keys', async () => {
    vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', 'key_of_production');
    const server = startServer({ ...seed, apiKey: 'key_of_the_test' });
    await server.client.contacts.upsert({ phone, properties: { city: 'Paris' } });
    await failureOf(server);
    vi.unstubAllEnvs();

    const text = readFileSync(onlyFile(), 'utf8');
    expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
    expect(text).not.toContain('key_of_');
    expect(text).toContain('Paris');
  });

  test('shows a flowing clock at the moment of the failure, and starts nothing', async () => {
    const receiver = await startReceiver(hang);
    const server = startServer({ ...seed, clock: 'flowing', deliveryTimeout: '1h', shutdownGrace: '1ms' });
    await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await receiver.arrived(1);
    const earliest = server.clock.now();
    await failureOf(server);
    const latest = server.clock.now();
    await server.close();

    const served = await startServe(['--state', onlyFile()]);
    await settle();
    const { clock, deliveries } = await visibleAt(served.url, served.apiKey);
    expect(clock).toMatchObject({ flow: 'frozen' });
    const now = Number(Reflect.get(Object(clock), 'now'));
    expect(now).toBeGreaterThanOrEqual(earliest);
    expect(now).toBeLessThanOrEqual(latest);
    expect(deliveries).toMatchObject({ data: [{ status: 'pending', attempts: [] }] });
    expect(receiver.received).toHaveLength(1);
  });

  test('leaves only its own workspace of a server, as the first', async () => {
    const server = startServer(seed);
    const [ours, theirs] = [server.workspace(seed), server.workspace(seed)];
    await ours.client.contacts.upsert({ phone: otherPhone, properties: { city: 'Paris' } });
    await theirs.client.contacts.upsert({ phone: otherPhone, properties: { city: 'London' } });
    await failureOf(() => ours);

    const again = createReferenceServer({ state: stateIn(onlyFile()) });
    expect([again.id, (await again.workspaces.list()).length]).toEqual([ours.id, 1]);
    expect((await again.client.contacts.find(otherPhone))?.properties.city).toBe('Paris');
    expect(await again.journal.find('request')).toHaveLength(2);
    await again.close();
    expect(readFileSync(onlyFile(), 'utf8')).not.toContain('London');
  });

  test('of a server that it closed still leaves a file, and of a closed workspace none', async () => {
    const server = startServer(seed);
    const workspace = server.workspace();
    await workspace.close();
    expect(await failureOf(workspace)).toMatchObject({
      message:
        'It is not as expected.\n\nWhat happened in this test is not in a file. The workspace is closed.',
    });
    await server.close();
    await failureOf(server);
    expect(stateIn(onlyFile())).toMatchObject({
      failedTest: 'a test',
      workspaces: [{ contacts: [{ phone }] }],
    });
  });

  test('says what the error of the test said, without colors, up to 4,000 characters', async () => {
    const server = startServer(seed);
    const saidAfter = async (error: unknown) => {
      await thrownBy(server, error);
      const { failedTestError } = stateIn(onlyFile());
      rmSync(onlyFile());
      return failedTestError;
    };
    const colored = new Error('expected \u001b[32m1\u001b[39m to be \u001b[1;31m2\u001b[0m');
    expect(await saidAfter(colored)).toBe('expected 1 to be 2');
    expect(await saidAfter(new Error('x'.repeat(5_000)))).toBe('x'.repeat(4_000));
    expect(await saidAfter('a text')).toBe('');
  });

  test('is kept for the first fifty tests of a process, the next one says so, and the others say nothing', async () => {
    vi.resetModules();
    const fresh = await import('../../../src/server/state/keep-on-failure.js');
    const server = startServer();
    const messages: string[] = [];
    for (let number = 1; number <= 52; number += 1) {
      const body = () => Promise.reject(new Error('It failed.'));
      const test = fresh.keepOnFailure(server, body, { name: `test ${number}`, directory });
      await test().catch(({ message }) => messages.push(message));
    }
    expect(readdirSync(directory)).toHaveLength(50);
    expect(messages[49]).toContain('See what happened in this test');
    expect(messages[50]).toBe(
      'It failed.\n\nWhat happened in this test is not in a file. Only the first 50 failed tests are.',
    );
    expect(messages[51]).toBe('It failed.');
  });

  test('tells the page the name and the error of the test at the start of the stream', async () => {
    await failureOf(startServer(seed), { name: 'a test' });
    const server = createReferenceServer({ state: stateIn(onlyFile()), apiKey: 'test_key' });
    onTestFinished(() => server.close());
    const headers = { Authorization: 'Bearer test_key' };
    const { body } = await server.fetch(new Request('http://server.test/control/stream', { headers }));
    const { value } = (await body?.pipeThrough(new TextDecoderStream()).getReader().read()) ?? {};
    expect(value).toContain('"failedTest":{"name":"a test","error":"It is not as expected."}');
  });

  test('is shown to a person by its name, without control characters', async () => {
    await failureOf(startServer(seed), { name: 'red \u001b[31mtest' });
    const { terminal } = start(['serve', '--port', '0', '--state', onlyFile()], { env: {} });
    const message = await terminal.line(/is ready at/);
    expect(message).toContain(
      'It shows the failed test "red \\u001b[31mtest": 1 workspace, 1 contact, clock frozen at',
    );
    expect(message).toContain(`Changes stay in memory, and ${onlyFile()} as it is`);
    expect(message).toMatch(/http:\S+#\S+\n\n {2}Ctrl-C stops it\.$/);
    expect(message).not.toContain('\u001b');
    expect(message).not.toMatch(/curl|export|additional/);
  });

  test.each([
    ['in a folder that exists', (name: string) => name],
    ['in another folder', (name: string) => join(name, '../elsewhere/of-a-test.failed.json')],
  ])('cannot be opened %s if the file is not there, and is not created', async (_, place) => {
    await failureOf(startServer());
    const kept = onlyFile();
    renameSync(kept, `${kept}.moved`);
    const file = place(kept);
    const { exitCode, complaints } = await runCommand(['serve', '--port', '0', '--state', file]);
    expect(exitCode).toBe(2);
    expect(complaints).toContain(`There is no file ${file} of a failed test. If it is in an artifact of CI`);
    expect(readdirSync(directory)).toEqual([basename(`${kept}.moved`)]);
  });
});

describe('a test that passes', () => {
  test('leaves nothing, gets its arguments, and gives its result', async () => {
    const body = keepOnFailure(startServer(), async (one: number, other: number) => one + other, {
      directory,
    });
    expect(body).toHaveLength(0);
    expect(await body(1, 2)).toBe(3);
    expect(readdirSync(join(directory, '../..'))).toEqual([]);
  });
});

describe('the error', () => {
  test('is the one that the body threw, with the note in its stack as well', async () => {
    const error = new TypeError('Costs $& more.');
    expect((await thrownBy(startServer(), error)).thrown).toBe(error);
    const note = `Costs $& more.\n\nSee what happened in this test:\n  npx messaging-automation serve --port 0 --state ${onlyFile()}`;
    expect(error.message).toBe(note);
    expect(error.stack).toContain(`TypeError: ${note}\n    at `);
  });

  test.each([
    ['a text', 'kaputt'],
    ['nothing', undefined],
    ['frozen', Object.freeze(new Error('kaputt'))],
    ['without a message of its own', new DOMException('kaputt')],
    [
      'hostile',
      new Proxy(new Error('kaputt'), {
        get() {
          throw new Error('no');
        },
      }),
    ],
  ])('stays as it is where it takes no note, which is then printed: %s', async (_, error) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { thrown } = await thrownBy(startServer(), error);
    expect(Object.is(thrown, error)).toBe(true);
    expect(printed.mock.calls).toEqual([[expect.stringContaining(`serve --port 0 --state ${onlyFile()}`)]]);
    printed.mockRestore();
  });

  test('of a body that throws before it returns a promise is reported alike', async () => {
    const body = keepOnFailure(
      startServer(),
      () => {
        throw new Error('at once');
      },
      { directory },
    );
    await expect(body()).rejects.toThrow(`at once\n\nSee what happened`);
  });

  test('is not hidden where no file can be written', async () => {
    const folder = folderWith({ 'a file': '' });
    const error = await failureOf(startServer(), { directory: join(folder, 'a file', 'below') });
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^It is not as expected\.\n\nWhat happened in this test is not in a file\. ENOTDIR/,
      ),
    });
    const none = await failureOf(() => {
      throw new Error('There is no server yet.');
    });
    expect(none).toMatchObject({
      message: expect.stringContaining('is not in a file. There is no server yet.'),
    });
    expect(readdirSync(folder)).toEqual(['a file']);
  });
});

describe('the name of the file', () => {
  const names = [
    '../../../etc/passwd',
    '..',
    '/',
    'C:\\Windows\\con',
    'line\nbreak\0and\u202eturn',
    'ß 漢字 👩‍👩‍👧',
    '',
    'x'.repeat(5_000),
    'a test',
    'a/test',
    '-rf',
  ];

  test('is short and safe, whatever the name of the test', async () => {
    const server = startServer();
    for (const name of names) await failureOf(server, { name });
    const files = readdirSync(directory);
    expect(files).toHaveLength(names.length);
    for (const file of files) expect(file).toMatch(/^[a-z0-9][a-z0-9-]{0,80}\.failed\.json$/i);
    expect(readdirSync(join(directory, '..'))).toEqual(['tests']);
  });

  test('differs for tests that fail at the same time with the same name', async () => {
    const servers = [startServer({ quota: 1 }), startServer({ quota: 2 }), startServer({ quota: 3 })];
    const errors = await Promise.all(servers.map((server) => failureOf(server)));
    const quotas = errors.map((error) => {
      const [, file = ''] = /--state (\S+)/.exec(String(error)) ?? [];
      return stateIn(file).workspaces[0].workspace.quota;
    });
    expect(quotas).toEqual([1, 2, 3]);
  });

  test('is the one that the test runner tells', async (context) => {
    const body = keepOnFailure(startServer(), (_: object) => Promise.reject(new Error('no')), { directory });
    await expect(body(context)).rejects.toThrow('no');
    expect(stateIn(onlyFile()).failedTest).toBe(
      'the name of the file > is the one that the test runner tells',
    );
    expect(onlyFile()).toMatch(
      /the-name-of-the-file-is-the-one-that-the-test-runner-tells-[0-9a-f]{8}\.failed\.json$/,
    );
  });
});

describe('a world that is too large', () => {
  test('loses the oldest entries of its journal, and says how many', async () => {
    const server = startServer();
    const text = 'x'.repeat(400_000);
    for (let index = 0; index < 8; index += 1) {
      await server.client.contacts.upsert({ phone, properties: { index, text } });
    }
    await failureOf(server);
    expect(statSync(onlyFile()).size).toBeLessThan(5 * 1024 * 1024);

    const served = await startServe(['--state', onlyFile()]);
    const { journal } = await visibleAt(served.url, served.apiKey);
    const { data, forgotten }: { data?: { number: number }[]; forgotten?: number } = Object(journal);
    expect(data).toHaveLength(4);
    expect(Number(data?.length) + Number(forgotten)).toBe(8);
    expect(data?.at(-1)?.number).toBe(8);
  });

  test('leaves no file where its records alone are too large', async () => {
    const properties = { text: 'é'.repeat(2_700_000) };
    const server = startServer({ contacts: [{ phone, properties }] });
    expect(await failureOf(server)).toMatchObject({
      message: expect.stringContaining('It takes more than 5 MiB, even without its journal.'),
    });
    expect(readdirSync(join(directory, '../..'))).toEqual([]);
  });
});
