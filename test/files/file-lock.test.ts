import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FileLock } from '../../src/files/file-lock.js';
import { rejection } from '../client/support/service.js';

/** A process id above all that an operating system gives. */
const noProcess = 4_194_304;

/** A file in a folder of its own, the lock of this process on it, and the lock file. */
async function lockedFile() {
  const folder = await mkdtemp(join(tmpdir(), 'file-lock-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'job.json');
  const lock = `${file}.lock`;
  const own = lockOf(file);
  await own.acquire();
  const content: Record<string, unknown> = JSON.parse(await readFile(lock, 'utf8'));
  return { folder, file, lock, own, content };
}

const lockOf = (file: string) => new FileLock(file, (owner, lock) => new Error(`${owner}; delete ${lock}`));

test('one process at a time has the lock, and a second one is told who', async () => {
  const { folder, file, lock, own } = await lockedFile();

  expect(String(await rejection(lockOf(file).acquire()))).toBe(
    `Error: in process ${process.pid} on ${JSON.parse(await readFile(lock, 'utf8')).place}; delete ${lock}`,
  );
  await own.release();
  await own.release();
  await lockOf(file).acquire();
  expect(await readdir(folder)).toEqual(['job.json.lock']);
});

test('two files of one folder have each their own lock', async () => {
  const { folder, own } = await lockedFile();
  const other = lockOf(join(folder, 'other.json'));
  await other.acquire();
  await own.release();

  expect(await readdir(folder)).toEqual(['other.json.lock']);
});

test('a lock that somebody deleted and another run took is not released by the first', async () => {
  const { file, lock, own } = await lockedFile();
  await rm(lock);
  await lockOf(file).acquire();
  const text = await readFile(lock, 'utf8');
  await own.release();

  expect(await readFile(lock, 'utf8')).toBe(text);
});

describe('the lock of a process that has ended', () => {
  test('is taken over by one of many', async () => {
    const { folder, file, lock, content } = await lockedFile();
    await writeFile(lock, JSON.stringify({ ...content, pid: noProcess }));
    const locks = Array.from({ length: 20 }, () => lockOf(file));
    const acquired = await Promise.allSettled(locks.map((one) => one.acquire()));

    expect(acquired.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['job.json.lock']);
    await Promise.all(locks.map((one) => one.release()));
    expect(await readdir(folder)).toEqual([]);
  });

  test('is left alone once another process has taken it over in the meantime', async () => {
    const { file, lock, content } = await lockedFile();
    const newer = JSON.stringify({ ...content, id: 'newer' });
    await writeFile(lock, JSON.stringify({ ...content, pid: noProcess }));
    const kill = vi.spyOn(process, 'kill').mockImplementationOnce(() => {
      writeFileSync(lock, newer);
      throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
    });
    onTestFinished(() => kill.mockRestore());

    expect(String(await rejection(lockOf(file).acquire()))).toContain(`delete ${lock}`);
    expect(await readFile(lock, 'utf8')).toBe(newer);
  });

  test('is left alone while another process takes it over', async () => {
    const { file, lock, content } = await lockedFile();
    await writeFile(lock, JSON.stringify({ ...content, pid: noProcess }));
    await writeFile(`${lock}.takeover`, '');

    expect(String(await rejection(lockOf(file).acquire()))).toContain(`delete ${lock}.takeover`);
  });

  test('is known where its id was given to another process', async () => {
    const { file, lock, content } = await lockedFile();
    if (content.start === undefined) return; // this platform does not show when a process started
    await writeFile(lock, JSON.stringify({ ...content, start: '0' }));
    await lockOf(file).acquire();

    expect(JSON.parse(await readFile(lock, 'utf8'))).toMatchObject({ start: content.start });
  });
});

describe('the lock of a process that may be alive', () => {
  type Change = (content: Readonly<Record<string, unknown>>) => string;
  const elsewhere =
    (place: string): Change =>
    (content) =>
      JSON.stringify({ ...content, pid: noProcess, place });
  const cases: [string, Change][] = [
    ['of another machine', elsewhere('elsewhere')],
    ['of another container with the same host name', elsewhere(`${hostname()} pid:[1]`)],
    ['that is just being written', () => ''],
    ['without a process', (content) => JSON.stringify({ ...content, pid: 0 })],
    [
      'that does not say when its process started',
      (content) => JSON.stringify({ ...content, start: undefined }),
    ],
    ['that holds something else', () => 'null'],
  ];
  // Linux shows the container of a process, so a lock without one comes from somewhere else.
  if (process.platform === 'linux') cases.push(['without a container', elsewhere(hostname())]);

  test.each(cases)('is left alone: %s', async (_, change) => {
    const { file, lock, content } = await lockedFile();
    const changed = change(content);
    await writeFile(lock, changed);

    expect(String(await rejection(lockOf(file).acquire()))).toContain(`delete ${lock}`);
    expect(await readFile(lock, 'utf8')).toBe(changed);
  });

  test('is left alone when its program changes its name', async () => {
    const { title } = process;
    const { file } = await lockedFile();
    process.title = 'a) b c';
    onTestFinished(() => {
      process.title = title;
    });

    expect(String(await rejection(lockOf(file).acquire()))).toContain('in process');
  });
});
