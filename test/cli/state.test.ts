import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/cli/program.js';
import { repositoryFile } from '../repository.js';
import { FakeTerminal } from './fake-terminal.js';

interface Ready {
  readonly url: string;
  readonly apiKey: string;
  readonly templateId: string;
  readonly state: object;
}

interface Served {
  readonly ready: Ready;
  readonly terminal: FakeTerminal;
  /** Presses Ctrl-C, and gives the exit code. */
  readonly stop: () => Promise<number>;
}

const phone = '+15551234567';
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-state-'));
  file = join(folder, 'state.json');
  return () => rm(folder, { recursive: true });
});

/** Starts `serve --json` with the state file, in this process. */
async function serve(...words: string[]): Promise<Served> {
  const terminal = new FakeTerminal();
  const exit = run(['serve', '--port', '0', '--json', '--state', file, ...words], terminal);
  const stop = () => {
    terminal.stop();
    return exit;
  };
  onTestFinished(async () => void (await stop()));
  return { ready: JSON.parse(await terminal.line(/"ready"/)), terminal, stop };
}

/** What a start that is refused complains of. */
async function refusal(...words: string[]): Promise<string> {
  const terminal = new FakeTerminal();
  expect(await run(['serve', '--port', '0', '--state', file, ...words], terminal)).toBe(2);
  return terminal.complaints;
}

/** Starts it in a process of its own. */
async function serveInChild(): Promise<{ readonly child: ChildProcess; readonly ready: Ready }> {
  const program = ['--import', 'tsx', repositoryFile('src/cli/main.ts')];
  const words = ['serve', '--port', '0', '--json', '--api-key', 'test_key', '--state', file];
  const child = spawn(process.execPath, [...program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line');
  return { child, ready: JSON.parse(line) };
}

async function ask({ url, apiKey }: Ready, path: string, body?: object, method = 'POST'): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined && method === 'POST' ? 'GET' : method,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

const contact = (properties: object) => ({ phone, properties });
const found = (ready: Ready) => ask(ready, '/api/v1/contacts/find?phone=%2B15551234567');
const written = () => expect.poll(() => readFile(file, 'utf8'), { interval: 5, timeout: 10_000 });

describe('serve --state', () => {
  test('goes on where it was: all workspaces, keys, clock, faults and specGaps', async () => {
    const seed = join(folder, 'seed.yaml');
    await writeFile(
      seed,
      'clock: frozen\nnow: 2026-01-01T09:00:00Z\nquota: 3\nspecGaps: { listBody: named }\n',
    );
    const first = await serve('--api-key', 'test_key', '--seed', seed);
    await ask(first.ready, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    await ask(first.ready, '/control/faults', { operation: 'webhooks.list', fault: { kind: 'stall' } });
    await ask(first.ready, '/control/clock/advance', { by: '1d' });
    await ask(first.ready, '/control/workspaces', { apiKey: 'other_key', contacts: [{ phone }] });
    expect(await first.stop()).toBe(0);

    const { ready } = await serve('--api-key', 'test_key');
    expect(ready).toMatchObject({
      state: {
        file,
        resumed: true,
        workspaces: 2,
        contacts: 2,
        clock: 'frozen',
        time: '2026-01-02T09:00:00.000Z',
        unusedFlags: [],
        key: 'known',
      },
    });
    expect(await found(ready)).toMatchObject({ properties: { firstName: 'Ada' } });
    expect(await found({ ...ready, apiKey: 'other_key' })).toMatchObject({ properties: { phone } });
    expect(await ask(ready, '/control/quota')).toMatchObject({ quota: 3 });
    expect(await ask(ready, '/control/faults')).toMatchObject({
      data: [{ rule: { operation: 'webhooks.list' } }],
    });
    expect(await ask(ready, '/api/v1/templates')).toEqual({ templates: [] });
  });

  test('keeps the state for its owner alone, without keys, and leaves nothing beside it', async () => {
    const { ready, stop } = await serve('--api-key', 'test_key');
    expect((await stat(file)).mode & 0o077).toBe(0);
    await ask(ready, '/api/v1/contacts', contact({}));
    await stop();
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readFile(file, 'utf8')).not.toContain('test_key');
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test('writes each change while it runs', async () => {
    const { ready } = await serve();
    await ask(ready, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    await written().toContain('Ada');
    await ask(ready, '/control/clock/advance', { by: '1234567s' });
    await written().toContain('1234567000');
  });

  test('replaces what a link leads to, not the link', async () => {
    const target = join(folder, 'target.json');
    await (await serve('--api-key', 'test_key')).stop();
    await writeFile(target, await readFile(file));
    await rm(file);
    await symlink(target, file);
    const { ready, stop } = await serve('--api-key', 'test_key');
    await ask(ready, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    await stop();
    expect(await readFile(target, 'utf8')).toContain('Ada');
  });

  test('says what it goes on from, and which flags count for nothing then', async () => {
    await (await serve('--api-key', 'test_key')).stop();
    const terminal = new FakeTerminal();
    const words = ['--seed', '/nowhere.yaml', '--quota', '5', '--delivery-timestamps', 'workspace'];
    const exit = run(['serve', '--port', '0', '--state', file, ...words], terminal);
    const message = await terminal.line(/is ready at/);
    terminal.stop();
    expect(await exit).toBe(0);

    expect(message).toMatch(
      /It continues from .*state\.json: 1 workspace, 0 contacts, clock flowing at \d{4}-/,
    );
    expect(message).toContain(
      'Ignored, because the state file exists: --seed, --quota, --delivery-timestamps.',
    );
    expect(message).toContain('The key below is an additional one. The earlier keys stay valid.');
    expect(message).toContain('Template to try: order_update');
  });

  test('says of a state that begins where it is kept', async () => {
    const terminal = new FakeTerminal();
    const exit = run(['serve', '--port', '0', '--state', file], terminal);
    expect(await terminal.line(/is ready at/)).toContain(`It keeps its state in ${file}`);
    terminal.stop();
    expect(await exit).toBe(0);
  });

  test('does not let a revoked key in again, and says so', async () => {
    const first = await serve('--api-key', 'test_key');
    await ask(first.ready, '/control/api-keys/rotate', {});
    await first.stop();
    const terminal = new FakeTerminal();
    const exit = run(['serve', '--port', '0', '--state', file, '--api-key', 'test_key'], terminal);
    expect(await terminal.line(/is ready at/)).toContain('The key below was revoked and is not valid');
    terminal.stop();
    expect(await exit).toBe(0);
  });
});

describe('a state file is refused before anything listens', () => {
  test.each([
    ['is empty', '', 'Unexpected end of JSON input'],
    ['is not JSON', 'state', 'is not valid JSON'],
    ['holds something else', '{"contacts":[]}', 'contacts is not a known field'],
    ['was written by a newer version', '{"version":2}', 'Use the newer package'],
  ])('where it %s', async (_, content, words) => {
    await writeFile(file, content);
    const complaints = await refusal();
    expect(complaints).toContain(words);
    expect(complaints).toContain(`The state file ${file} cannot be used`);
    expect(complaints).toContain('move it away to start over');
    expect(await readFile(file, 'utf8')).toBe(content);
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test('where its folder does not exist, or it is one itself', async () => {
    file = join(folder, 'nowhere', 'state.json');
    expect(await refusal()).toContain('ENOENT');
    file = join(folder, 'state.json');
    await mkdir(file);
    expect(await refusal()).toContain('EISDIR');
  });

  test('where it cannot be written', async () => {
    await mkdir(`${file}.new`); // a write begins there
    expect(await refusal()).toContain(`The state file ${file} cannot be written`);
  });

  test('while another process has it, and not after', async () => {
    const { stop } = await serve('--api-key', 'test_key');
    expect(await refusal()).toMatch(new RegExp(`is in use by another serve, in process ${process.pid} on `));
    await stop();
    expect((await serve('--api-key', 'test_key')).ready.state).toMatchObject({ resumed: true });
  });

  test('and let go of where the port is taken', async () => {
    const { ready, stop } = await serve();
    const other = join(folder, 'other.json');
    const terminal = new FakeTerminal();
    const words = ['serve', '--port', new URL(ready.url).port, '--state', other];
    expect(await run(words, terminal)).toBe(2);
    expect(terminal.complaints).toContain('EADDRINUSE');
    await stop();
    expect((await readdir(folder)).sort()).toEqual(['other.json', 'state.json']);
  });
});

describe('a state that cannot be written', () => {
  test('is told of, tried again, and ends nothing', async () => {
    const { ready, terminal, stop } = await serve();
    await mkdir(`${file}.new`);
    await ask(ready, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    await expect.poll(() => terminal.complaints).toContain('The state cannot be written');
    await rmdir(`${file}.new`);
    await written().toContain('Ada');
    await expect.poll(() => terminal.complaints).toContain('The state is written again');
    expect(await stop()).toBe(0);
  });

  test('at the end makes the exit code 1', async () => {
    const { ready, terminal, stop } = await serve();
    await mkdir(`${file}.new`);
    await ask(ready, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    expect(await stop()).toBe(1);
    expect(terminal.complaints).toContain(`The changes since the last write of ${file} are lost`);
  });
});

describe('a process', () => {
  test('that is killed goes on with all that was written, whatever else it leaves', async () => {
    const { child, ready } = await serveInChild();
    await ask(ready, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    await written().toContain('Ada');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await readdir(folder)).toContain('state.json.lock');
    await writeFile(`${file}.new`, '{"torn":');

    const again = await serve('--api-key', 'test_key');
    expect(await found(again.ready)).toMatchObject({ properties: { firstName: 'Ada' } });
    await again.stop();
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'that is ended by %s writes its last change',
    async (signal) => {
      const { child, ready } = await serveInChild();
      await ask(ready, '/api/v1/contacts', contact({ firstName: 'Ada' }));
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(await readFile(file, 'utf8')).toContain('Ada');
      expect(await readdir(folder)).toEqual(['state.json']);
    },
  );

  test('whose output nobody reads any more stops, and writes its last change', async () => {
    const { child, ready } = await serveInChild();
    child.stdout?.destroy();
    await ask(ready, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await readFile(file, 'utf8')).toContain('Ada');
    expect(await readdir(folder)).toEqual(['state.json']);
  });
});
