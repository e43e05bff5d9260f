import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { within } from '../waiting.js';

// Linux has a device that is always full.
test.runIf(existsSync('/dev/full'))(
  'a command whose output cannot be written fails, and says why',
  async () => {
    const full = await open('/dev/full', 'w');
    const args = ['--import', 'tsx', repositoryFile('src/cli/main.ts'), '--help'];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', full.fd, 'pipe'],
      cwd: repositoryFile('.'),
    });
    let complaints = '';
    child.stderr?.on('data', (chunk) => {
      complaints += chunk;
    });
    const [exitCode] = await within('the end of the command', once(child, 'close'));
    await full.close();

    expect(exitCode).toBe(1);
    expect(complaints).toContain('The output could not be written. ENOSPC');
  },
);
