import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BulkCheckpoint, MessagingAutomationError } from 'messaging-automation';
import { fileCheckpoint } from 'messaging-automation/bulk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientOver, heldService, sends, sent, until } from '../client/bulk/support.js';
import { rejection } from '../client/support/service.js';
import { repositoryFile } from '../repository.js';

const checkpoint: BulkCheckpoint = {
  version: 2,
  operation: 'transactional.send',
  done: [[0, 4]],
  rejected: [],
  unknown: [[5, 5]],
};

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'file-checkpoint-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** A process of its own that runs a module's text until it is killed, or has ended. */
function run(code: string) {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', code];
  const env = { ...process.env, TSX_TSCONFIG_PATH: repositoryFile('tsconfig.json') };
  const child = execFile(process.execPath, args, { cwd: repositoryFile('.'), env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

describe('the file', () => {
  test('holds what was saved last, and nothing is left beside it', async () => {
    const home = await folder();
    const store = fileCheckpoint(join(home, 'job.json'));
    expect(await store.load()).toBeUndefined();
    await store.save({ ...checkpoint, done: [] });
    await store.save(checkpoint);

    expect(await store.load()).toEqual(checkpoint);
    expect(JSON.parse(await readFile(join(home, 'job.json'), 'utf8'))).toEqual(checkpoint);
    expect(await readdir(home)).toEqual(['job.json']);
  });

  test('is what it was when the new one is only half written', async () => {
    const home = await folder();
    const store = fileCheckpoint(join(home, 'job.json'));
    await store.save(checkpoint);
    await writeFile(join(home, 'job.json.new'), '{"version":2,"oper');

    expect(await store.load()).toEqual(checkpoint);
    await store.save(checkpoint);
    expect(await readdir(home)).toEqual(['job.json']);
  });

  test.each(['', 'not JSON', '{"version":2'])(
    'that holds %j is an error, not a new beginning',
    async (text) => {
      const path = join(await folder(), 'job.json');
      await writeFile(path, text);
      const error = await rejection(
        clientOver(async () => sent()).transactional.sendMany(sends(3), { checkpoint: fileCheckpoint(path) }),
      );

      expect(error).toBeInstanceOf(MessagingAutomationError);
      expect(String(error)).toContain(path);
      expect(await readdir(join(path, '..'))).toEqual(['job.json']);
    },
  );

  test('that cannot be read or written is an error, with its cause', async () => {
    const home = await folder();
    expect(await rejection(fileCheckpoint(home).load())).toMatchObject({ code: 'EISDIR' });
    expect(await rejection(fileCheckpoint(join(home, 'none', 'job.json')).save(checkpoint))).toMatchObject({
      code: 'ENOENT',
    });
  });

  test('carries a job over runs', async () => {
    const home = await folder();
    let quota = 3;
    const { transactional } = clientOver(async () => {
      quota -= 1;
      return quota >= 0 ? sent() : Response.json({ error: { code: 'quota_exceeded' } }, { status: 402 });
    });
    const options = { checkpoint: fileCheckpoint(join(home, 'job.json')) };
    expect(await transactional.sendMany(sends(9), options)).toMatchObject({ done: 3 });
    quota = 100;

    expect(await transactional.sendMany(sends(9), options)).toMatchObject({
      done: 6,
      skipped: 3,
      overall: { done: 9 },
    });
    expect(await readdir(home)).toEqual(['job.json']);
  });
});

describe('the lock', () => {
  test('keeps a second run from sending anything, until the first has ended', async () => {
    const path = join(await folder(), 'job.json');
    const service = heldService();
    const { transactional } = clientOver(service.fetch);
    const first = transactional.sendMany(sends(1), { checkpoint: fileCheckpoint(path) });
    await until(() => service.waiting().length === 1);
    let requests = 0;
    const second = clientOver(async () => {
      requests += 1;
      return sent();
    });
    const refused = await rejection(
      second.transactional.sendMany(sends(2), { checkpoint: fileCheckpoint(path) }),
    );
    expect(refused).toBeInstanceOf(MessagingAutomationError);
    expect(String(refused)).toContain(`used by another run, in process ${process.pid} on`);
    expect(String(refused)).toContain(`${path}.lock`);
    expect(requests).toBe(0);

    service.answer(0);
    expect(await first).toMatchObject({ done: 1 });
    expect(await second.transactional.sendMany(sends(2), { checkpoint: fileCheckpoint(path) })).toMatchObject(
      {
        done: 1,
        skipped: 1,
      },
    );
  });

  test('is given back by a run that could not begin', async () => {
    const home = await folder();
    const path = join(home, 'job.json');
    await writeFile(path, '"something else"');
    const { transactional } = clientOver(async () => sent());
    await rejection(transactional.sendMany(sends(1), { checkpoint: fileCheckpoint(path) }));

    expect(await readdir(home)).toEqual(['job.json']);
  });

  test('of a killed process is taken over, by one of many', async () => {
    const home = await folder();
    const path = join(home, 'job.json');
    const child = run(`
      import { fileCheckpoint } from 'messaging-automation/bulk';
      await fileCheckpoint(${JSON.stringify(path)}).open();
      console.log('locked');
      setInterval(() => {}, 1_000);
    `);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    expect(await rejection(fileCheckpoint(path).open())).toBeInstanceOf(MessagingAutomationError);
    child.kill('SIGKILL');
    await once(child, 'exit');

    const stores = Array.from({ length: 20 }, () => fileCheckpoint(path));
    const opened = await Promise.allSettled(stores.map((store) => store.open()));
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(home)).toEqual(['job.json.lock']);

    await Promise.all(stores.map((store) => store.close()));
    expect(await readdir(home)).toEqual([]);
  });

  test('of a process whose id another has now is taken over', async () => {
    const home = await folder();
    const path = join(home, 'job.json');
    await fileCheckpoint(path).open();
    const lock = JSON.parse(await readFile(`${path}.lock`, 'utf8'));
    if (lock.start === undefined) return; // this platform does not show when a process started
    await writeFile(`${path}.lock`, JSON.stringify({ ...lock, start: '1' }));

    await fileCheckpoint(path).open();
    expect(JSON.parse(await readFile(`${path}.lock`, 'utf8'))).toMatchObject({
      pid: lock.pid,
      start: lock.start,
    });
  });

  test.each([
    [
      'of another machine or container',
      (lock: object) => JSON.stringify({ ...lock, pid: 4_194_304, place: 'elsewhere' }),
    ],
    ['that is just being written', () => ''],
    ['without a process', (lock: object) => JSON.stringify({ ...lock, pid: 0 })],
    ['that holds something else', () => 'null'],
  ])('%s is left alone', async (_, change) => {
    const path = join(await folder(), 'job.json');
    await fileCheckpoint(path).open();
    const changed = change(JSON.parse(await readFile(`${path}.lock`, 'utf8')));
    await writeFile(`${path}.lock`, changed);

    expect(String(await rejection(fileCheckpoint(path).open()))).toContain(`delete ${path}.lock`);
    expect(await readFile(`${path}.lock`, 'utf8')).toBe(changed);
  });

  test('is not taken over while somebody else is taking it over', async () => {
    const path = join(await folder(), 'job.json');
    await fileCheckpoint(path).open();
    const lock = JSON.parse(await readFile(`${path}.lock`, 'utf8'));
    await writeFile(`${path}.lock`, JSON.stringify({ ...lock, pid: 4_194_304 })); // above every process id
    await writeFile(`${path}.lock.takeover`, '');

    expect(String(await rejection(fileCheckpoint(path).open()))).toContain(`delete ${path}.lock.takeover`);
  });

  test('can be left out', async () => {
    const home = await folder();
    const path = join(home, 'job.json');
    await fileCheckpoint(path, { lock: false }).open();
    await fileCheckpoint(path, { lock: false }).open();

    expect(await readdir(home)).toEqual([]);
  });
});

describe('a store of your own', () => {
  const store = () => {
    const calls: string[] = [];
    return {
      calls,
      open: async () => void calls.push('open'),
      load: async () => void calls.push('load'),
      save: async () => void calls.push('save'),
      close: async () => void calls.push('close'),
    };
  };
  const { transactional } = clientOver(async () => sent());

  test('is opened before it is loaded, and closed after all is saved', async () => {
    const checkpoint = store();
    await transactional.sendMany(sends(1), { checkpoint });

    expect(checkpoint.calls.slice(0, 3)).toEqual(['open', 'load', 'save']);
    expect(checkpoint.calls.at(-1)).toBe('close');
    expect(checkpoint.calls.filter((call) => call === 'close')).toHaveLength(1);
  });

  test('that cannot be opened rejects the run, and is not closed', async () => {
    const checkpoint = store();
    const locked = new Error('locked');
    const open = () => Promise.reject(locked);

    expect(await rejection(transactional.sendMany(sends(1), { checkpoint: { ...checkpoint, open } }))).toBe(
      locked,
    );
    expect(checkpoint.calls).toEqual([]);
  });

  test('whose closing fails has done its work', async () => {
    const checkpoint = { ...store(), close: () => Promise.reject(new Error('stuck')) };

    expect(await transactional.sendMany(sends(1), { checkpoint })).toMatchObject({ done: 1 });
  });
});
