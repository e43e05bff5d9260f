import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessagingAutomationError } from 'messaging-automation';
import { fileCheckpoint } from 'messaging-automation/bulk';
import { expect, onTestFinished, test } from 'vitest';
import { rejection } from '../client/support/service.js';
import { bundle } from '../run/bundle.js';
import { within } from '../waiting.js';

test('the lock of a process is respected while it lives, and taken over by one of many once it is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'file-checkpoint-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'job.json');
  const program = `
    import { fileCheckpoint } from 'messaging-automation/bulk';
    await fileCheckpoint(${JSON.stringify(path)}).open();
    console.log('locked');
    setInterval(() => {}, 1_000);
  `;
  const child = execFile(process.execPath, [await bundle({ text: program })]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  expect(await rejection(fileCheckpoint(path).open())).toBeInstanceOf(MessagingAutomationError);
  child.kill('SIGKILL');
  await within('the end of the killed process', once(child, 'exit'));

  const stores = Array.from({ length: 20 }, () => fileCheckpoint(path));
  const opened = await Promise.allSettled(stores.map((store) => store.open()));
  expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await readdir(folder)).toEqual(['job.json.lock']);

  await Promise.all(stores.map((store) => store.close()));
  expect(await readdir(folder)).toEqual([]);
});
