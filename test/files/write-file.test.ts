import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { replaceFile } from '../../src/files/write-file.js';
import { rejection } from '../client/support/service.js';

async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'write-file-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

test('writes the file whole, over what a crash left half-written, and leaves nothing beside it', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'job.json');
  await writeFile(`${file}.new`, 'half-writ');
  await replaceFile(file, 'one');
  await replaceFile(file, 'two');

  expect(await readFile(file, 'utf8')).toBe('two');
  expect(await readdir(folder)).toEqual(['job.json']);
});

test('flushes the file before it renames it, and the folder before it resolves', async () => {
  const folder = await temporaryFolder();
  const probe = await open(join(folder, 'probe'), 'w');
  const handles: FileHandle = Object.getPrototypeOf(probe);
  await probe.close();
  await rm(join(folder, 'probe'));
  const flushed: string[] = [];
  const sync = vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
    const kind = (await this.stat()).isDirectory() ? 'the folder' : 'the file';
    flushed.push(`${kind} with ${await readdir(folder)}`);
  });
  onTestFinished(() => sync.mockRestore());
  await replaceFile(join(folder, 'job.json'), 'text');

  expect(flushed).toEqual(['the file with job.json.new', 'the folder with job.json']);
});

test.each([0o600, 0o640])('gives a new file and a replaced one the permissions %d', async (mode) => {
  const file = join(await temporaryFolder(), 'state.json');
  for (const text of ['one', 'two']) {
    await replaceFile(file, text, mode);
    expect((await stat(file)).mode & 0o777).toBe(mode);
  }
});

test('rejects with the first error, and leaves nothing half-written', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'occupied', 'by'), { recursive: true });

  expect(await rejection(replaceFile(join(folder, 'occupied'), 'text'))).toMatchObject({ syscall: 'rename' });
  expect(await rejection(replaceFile(join(folder, 'none', 'job.json'), 'text'))).toMatchObject({
    code: 'ENOENT',
  });
  expect(await readdir(folder)).toEqual(['occupied']);
});
