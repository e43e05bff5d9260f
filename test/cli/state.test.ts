import { mkdir, readdir, readFile, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderWith } from '../folder.js';
import { runCommand, type Served, start, startServe } from './served.js';

const phone = '+15551234567';
let folder: string;
let file: string;

beforeEach(() => {
  folder = folderWith({});
  file = join(folder, 'state.json');
});

/** Starts `serve --json` with the state file. */
const serve = (...words: string[]) => startServe(['--state', file, '--api-key', 'test_key', ...words]);

/** The message of `serve` for a person, with the state file. */
async function readyMessage(...words: string[]): Promise<string> {
  const { terminal, stop } = start(['serve', '--port', '0', '--state', file, ...words], { env: {} });
  const message = await terminal.line(/is ready at/);
  expect(await stop()).toBe(0);
  return message;
}

/** What a start that is refused complains of. */
async function refusal(...words: string[]): Promise<string> {
  const { exitCode, complaints } = await runCommand(['serve', '--port', '0', '--state', file, ...words]);
  expect(exitCode).toBe(2);
  return complaints;
}

/** Asks for what succeeds, and returns the body. */
async function ask({ ask: call }: Pick<Served, 'ask'>, path: string, body?: object, apiKey = 'test_key') {
  const response = await call(path, body, { headers: { Authorization: `Bearer ${apiKey}` } });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

const contact = (properties: object) => ({ phone, properties });
const found = (served: Served, apiKey?: string) =>
  ask(served, '/api/v1/contacts/find?phone=%2B15551234567', undefined, apiKey);
const written = () => expect.poll(() => readFile(file, 'utf8'), { interval: 5, timeout: 10_000 });

describe('serve --state', () => {
  test('resumes all workspaces, keys, clock, faults and specGaps', async () => {
    const seed = join(folder, 'seed.yaml');
    const content = [
      'clock: frozen',
      'now: 2026-01-01T09:00:00Z',
      'quota: 3',
      'specGaps: { listBody: named }',
    ];
    await writeFile(seed, content.join('\n'));
    const first = await serve('--seed', seed);
    await ask(first, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    await ask(first, '/control/faults', { operation: 'webhooks.list', fault: { kind: 'stall' } });
    await ask(first, '/control/clock/advance', { by: '1d' });
    await ask(first, '/control/workspaces', { apiKey: 'other_key', contacts: [{ phone }] });
    expect(await first.stop()).toBe(0);

    const second = await serve();
    expect(second.ready).toMatchObject({
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
    expect(await found(second)).toMatchObject({ properties: { firstName: 'Ada' } });
    expect(await found(second, 'other_key')).toMatchObject({ properties: { phone } });
    expect(await ask(second, '/control/quota')).toMatchObject({ quota: 3 });
    expect(await ask(second, '/control/faults')).toMatchObject({
      data: [{ rule: { operation: 'webhooks.list' } }],
    });
    expect(await ask(second, '/api/v1/templates')).toEqual({ templates: [] });
  });

  test('keeps the state for its owner alone, without keys, and leaves nothing beside it', async () => {
    const served = await serve();
    expect((await stat(file)).mode & 0o077).toBe(0);
    await ask(served, '/api/v1/contacts', contact({}));
    await served.stop();
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readFile(file, 'utf8')).not.toContain('test_key');
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test('replaces what a link leads to, not the link', async () => {
    const target = join(folder, 'target.json');
    await (await serve()).stop();
    await writeFile(target, await readFile(file));
    await rm(file);
    await symlink(target, file);
    const served = await serve();
    await ask(served, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    await served.stop();
    expect(await readFile(target, 'utf8')).toContain('Ada');
  });

  test('says what it resumes from, and which flags are ignored then', async () => {
    await (await serve()).stop();
    const words = ['--seed', '/nowhere.yaml', '--quota', '5', '--delivery-timestamps', 'workspace'];
    const message = await readyMessage(...words);
    expect(message).toMatch(
      /It continues from .*state\.json: 1 workspace, 0 contacts, clock flowing at \d{4}-/,
    );
    expect(message).toContain(
      'Ignored, because the state file exists: --seed, --quota, --delivery-timestamps.',
    );
    expect(message).toContain('The key below is an additional one. The earlier keys stay valid.');
    expect(message).toContain('Template to try: order_update');
  });

  test('does not let a revoked key in again, and says so', async () => {
    const first = await serve();
    await ask(first, '/control/api-keys/rotate', {});
    await first.stop();
    expect(await readyMessage('--api-key', 'test_key')).toContain(
      'The key below was revoked and is not valid',
    );
  });
});

describe('a state file is refused before anything listens', () => {
  test.each([
    ['is not JSON', 'state', 'is not valid JSON'],
    ['holds something else', '{"contacts":[]}', 'contacts is not a known field'],
    ['was written by a newer version', '{"version":3}', 'Use the newer package'],
  ])('where it %s', async (_, content, words) => {
    await writeFile(file, content);
    const complaints = await refusal();
    expect(complaints).toContain(words);
    expect(complaints).toContain(`The state file ${file} cannot be used`);
    expect(complaints).toContain('move it away to start over');
    expect(await readFile(file, 'utf8')).toBe(content);
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test('where it cannot be written', async () => {
    await mkdir(`${file}.new`); // a write begins there
    expect(await refusal()).toContain(`The state file ${file} cannot be written`);
  });

  test('while another process has it, and not after', async () => {
    const served = await serve();
    expect(await refusal()).toContain('is in use by another serve. Stop that one, or name another file');
    await served.stop();
    expect((await serve()).ready.state).toMatchObject({ resumed: true });
  });
});

describe('a state that cannot be written', () => {
  test('is reported, tried again, and ends nothing', async () => {
    const served = await serve();
    await mkdir(`${file}.new`);
    await ask(served, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    await expect.poll(() => served.terminal.complaints).toContain('The state cannot be written');
    await rmdir(`${file}.new`);
    await written().toContain('Ada');
    await expect.poll(() => served.terminal.complaints).toContain('The state is written again');
    expect(await served.stop()).toBe(0);
  });

  test('at the end makes the exit code 1', async () => {
    const served = await serve();
    await mkdir(`${file}.new`);
    await ask(served, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    expect(await served.stop()).toBe(1);
    expect(served.terminal.complaints).toContain(`The changes since the last write of ${file} are lost`);
  });
});
