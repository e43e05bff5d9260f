import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { realPathOf } from '../../src/files/real-path.js';
import { rejection } from '../client/support/service.js';

test('every name of a file leads to one path, whether the file exists or not', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'real-path-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'volume'));
  await symlink(join(folder, 'volume'), join(folder, 'folder-link'));
  await symlink('volume/job.json', join(folder, 'link'));
  await symlink('link', join(folder, 'link-to-link'));
  await symlink('circle', join(folder, 'circle'));
  const names = ['volume/job.json', 'folder-link/job.json', 'link', 'link-to-link', 'folder-link/../link'];
  const paths = () => Promise.all(names.map((name) => realPathOf(`${folder}/${name}`)));
  const target = join(folder, 'volume/job.json');

  expect(new Set(await paths())).toEqual(new Set([target]));
  await writeFile(target, '');
  expect(new Set(await paths())).toEqual(new Set([target]));
  expect(await rejection(realPathOf(join(folder, 'circle')))).toMatchObject({ code: 'ELOOP' });
  expect(await rejection(realPathOf(join(folder, 'none/job.json')))).toMatchObject({ code: 'ENOENT' });
});
