import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { environment } from './commands.js';
import { testProject } from './project.js';

const installed = testProject();

test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  'the server of an npx that ends by %s stops by itself',
  async (signal) => {
    const npx = spawn('npx', ['--no-install', 'messaging-automation', 'serve', '--port', '0', '--json'], {
      cwd: installed().folder,
      env: environment(),
      detached: true, // a group of its own, so that all of it can be ended
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const lines: string[] = [];
      for await (const line of createInterface({ input: npx.stdout })) {
        lines.push(line);
        // npx alone, as a test runner or a script does it that knows no other process.
        if (line.includes('"ready"')) npx.kill(signal);
      }
      // The output ended, so whoever held it is gone: npx, its shell and the server.
      expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ type: 'stopped' });
    } finally {
      if (npx.exitCode === null && npx.signalCode === null) await once(npx, 'exit');
      endGroup(npx.pid);
    }
  },
);

function endGroup(id: number | undefined): void {
  try {
    if (id !== undefined) process.kill(-id, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}
