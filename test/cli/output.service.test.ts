import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { bundle } from '../run/bundle.js';
import { within } from '../waiting.js';

// Linux has a device that is always full.
test.runIf(existsSync('/dev/full')).each([
  ['fails where its output cannot be written, and says why', '/dev/full', 1, 'could not be written. ENOSPC'],
  ['succeeds where its output is written', '/dev/null', 0, ''],
])('a command %s', async (_, file, expected, words) => {
  const output = await open(file, 'w');
  const args = [await bundle({ file: 'src/cli/main.ts' }), '--help'];
  const stdio = ['ignore', output.fd, 'pipe'] as const;
  const child = spawn(process.execPath, args, { stdio: [...stdio], cwd: repositoryFile('.') });
  let complaints = '';
  child.stderr?.on('data', (chunk) => {
    complaints += chunk;
  });
  const [exitCode] = await within('the end of the command', once(child, 'close'));
  await output.close();

  expect(exitCode).toBe(expected);
  expect(complaints).toContain(words);
});
