import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderWith } from '../folder.js';
import { repositoryFile } from '../repository.js';
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

describe('a state file is refused before anything listens, and stays as it is', () => {
  const whole = JSON.stringify({ version: 2, workspaces: [{ secret: 'whsec_0123', phone }] });

  test.each<[string, string | Uint8Array, string]>([
    ['is not JSON', 'state', 'It is not valid JSON'],
    ['was cut off', whole.slice(0, -9), 'it was cut off or changed, or another program is still writing it'],
    ['was damaged', whole.replace(':', ''), 'It is not valid JSON'],
    ['has bytes that are no text', Buffer.from(whole.replace('s', '\xff'), 'latin1'), 'not valid UTF-8'],
    ['is in another encoding', Buffer.from(`\ufeff${whole}`, 'utf16le'), 'saved in another encoding'],
    ['has something else', '{"contacts":[]}', 'contacts is not a known field'],
    ['has a list', '[]', 'must be an object'],
    ['has nothing', 'null', 'must be an object'],
    ['was written by a newer version', '{"version":3}', 'Use the newer package'],
  ])('where it %s', async (_, content, words) => {
    await writeFile(file, content);
    const complaints = await refusal();
    expect(complaints).toContain(words);
    expect(complaints).toContain(`The state file ${file} cannot be used`);
    expect(complaints).toContain('move it away to start over');
    expect(complaints).not.toMatch(/whsec_|1555/);
    expect(await readFile(file)).toEqual(Buffer.from(content));
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test('where it is a folder', async () => {
    await mkdir(file);
    expect(await refusal()).toContain(`It is a folder. Name a file in it, such as ${file}/state.json.`);
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test.each(['', '.', 'none/'])('where its name is that of a folder: %j', async (name) => {
    const { exitCode, complaints } = await runCommand(['serve', '--port', '0', '--state', name]);
    expect(exitCode).toBe(2);
    expect(complaints).toContain(`It is a folder. Name a file in it, such as ${join(name, 'state.json')}.`);
  });

  test.each(['/dev/full', '/dev/null', '/dev/stdout'])('where it is the device %s', async (device) => {
    const { exitCode, complaints } = await runCommand(['serve', '--port', '0', '--state', device]);
    expect(exitCode).toBe(2);
    expect(complaints).toContain('It is a pipe, a socket or a device, which keeps nothing. Name a file.');
  });

  test('where it is a pipe, which nobody waits for', async () => {
    execFileSync('mkfifo', [file]);
    expect(await refusal()).toContain('It is a pipe');
  });

  test.each<[string, string, string]>([
    ['its folder does not exist', 'none/state.json', 'Its folder does not exist. Create the folder'],
    ['a part of its path is a file', 'file/state.json', 'A part of its path is a file'],
    ['its name is too long', 'x'.repeat(300), 'Name a shorter path'],
    ['its links lead in a circle', 'circle', 'Its symbolic links lead in a circle'],
  ])('where %s', async (_, name, words) => {
    await writeFile(join(folder, 'file'), 'theirs');
    await symlink('circle', join(folder, 'circle'));
    file = join(folder, name);
    const complaints = await refusal();
    expect(complaints).toContain(words);
    expect(complaints).toContain(`The state file ${file} cannot be used`);
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('theirs');
    expect((await readdir(folder)).sort()).toEqual(['circle', 'file']);
  });

  test('where it cannot be written', async () => {
    await mkdir(`${file}.new`); // a write begins there
    const complaints = await refusal();
    expect(complaints).toContain(`The state file ${file} cannot be written`);
    expect(complaints).toContain('There is a folder with this name');
  });

  test('where it has the name of a failed test, and another state', async () => {
    await (await serve()).stop();
    const content = await readFile(file);
    file = join(folder, 'state.failed.json');
    await writeFile(file, content);
    expect(await refusal()).toContain('but does not hold one. Give it another name.');
    expect(await readFile(file)).toEqual(content);
    await writeFile(file, '');
    expect(await refusal()).toContain('It is not valid JSON: it was cut off');
  });

  test('while another process has it, and not after', async () => {
    const served = await serve();
    expect(await refusal()).toContain('is in use by another serve. Stop that one, or name another file');
    await served.stop();
    expect((await serve()).ready.state).toMatchObject({ resumed: true });
  });
});

describe('a state file with nothing in it', () => {
  test.each([
    ['no bytes', ''],
    ['an empty line', '\n'],
    ['the mark of an editor', '\ufeff\r\n'],
  ])('is a new one: %s', async (_, content) => {
    await writeFile(file, content);
    const served = await serve('--quota', '5');
    expect(served.ready.state).toMatchObject({ resumed: false, unusedFlags: [] });
    expect(await ask(served, '/control/quota')).toMatchObject({ quota: 5 });
    await served.stop();
    expect((await serve()).ready.state).toMatchObject({ resumed: true });
    expect((await readdir(folder)).filter((name) => !name.endsWith('.lock'))).toEqual(['state.json']);
  });
});

test('a state file that an editor saved with its mark is read', async () => {
  const served = await serve();
  await ask(served, '/api/v1/contacts', contact({ firstName: 'Ada' }));
  await served.stop();
  await writeFile(file, `\ufeff${await readFile(file, 'utf8')}`);
  expect(await found(await serve())).toMatchObject({ properties: { firstName: 'Ada' } });
});

describe('what an earlier version wrote', () => {
  const fixture = readFileSync(repositoryFile('test/server/state/fixtures/state-0.1.0.json'));

  test('is kept beside the new file, once, and the first lines say where', async () => {
    for (const _ of ['first', 'second']) {
      await writeFile(file, fixture);
      const message = await readyMessage();
      expect(message).toContain(`A copy is kept as ${file}.version-1`);
      expect((await readdir(folder)).sort()).toEqual(['state.json', 'state.json.version-1']);
      expect(await readFile(`${file}.version-1`)).toEqual(fixture);
      expect((await stat(`${file}.version-1`)).mode & 0o077).toBe(0);
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ version: 2 });
    }
    expect(await readyMessage()).not.toContain('is kept as');
  });

  test('has no copy if it is of a failed test, which is only read', async () => {
    file = join(folder, 'old.failed.json');
    const content = JSON.stringify({ ...JSON.parse(fixture.toString()), failedTest: 'an old one' });
    await writeFile(file, content);
    expect(await readyMessage()).toContain('It shows the failed test "an old one"');
    expect(await readFile(file, 'utf8')).toBe(content);
    expect(await readdir(folder)).toEqual(['old.failed.json']);
  });

  test('never takes the place of an earlier copy, and there are nine at most', async () => {
    const names = ['', ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `-${number}`)];
    for (const name of names.slice(0, 8)) await writeFile(`${file}.version-1${name}`, name);
    await writeFile(file, fixture);
    expect(await readyMessage()).toContain(`kept as ${file}.version-1-9`);
    await writeFile(file, Buffer.concat([fixture, Buffer.from('\n')]));
    const complaints = await refusal();
    expect(complaints).toContain('there are 9 such copies already. Move them away.');
    expect(await readFile(file)).toHaveLength(fixture.length + 1);
    for (const name of names.slice(0, 8)) {
      expect(await readFile(`${file}.version-1${name}`, 'utf8')).toBe(name);
    }
    expect(await readFile(`${file}.version-1-9`)).toEqual(fixture);
  });
});

describe('what another program writes into the file while it is in use', () => {
  test('is kept beside it, and said', async () => {
    const served = await serve();
    await writeFile(file, 'theirs');
    await ask(served, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    await written().toContain('Ada');
    expect(await readFile(`${file}.changed`, 'utf8')).toBe('theirs');
    await expect
      .poll(() => served.terminal.complaints)
      .toContain(`Another program wrote ${file}. A copy is kept as ${file}.changed`);
    expect(await served.stop()).toBe(0);
  });

  test('is nothing if the file was deleted', async () => {
    const served = await serve();
    await rm(file);
    await ask(served, '/api/v1/contacts', contact({ firstName: 'Ada' }));
    await written().toContain('Ada');
    expect(await served.stop()).toBe(0);
    expect(await readdir(folder)).toEqual(['state.json']);
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
