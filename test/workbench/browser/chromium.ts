import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Availability } from '../../webhooks/dedupe/availability.js';

const run = promisify(execFile);

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A Chromium of this machine, taken from Debian's package if need be and if this process may install one. */
export async function findChromium(): Promise<Availability<{ readonly program: string }>> {
  const program = await installed();
  if (program !== undefined) return { program };
  if (process.getuid?.() !== 0 || !(await succeeds('apt-get', '--version'))) {
    return {
      missing:
        'there is no /usr/bin/chromium, and it cannot be installed without root and apt-get. Install it by your package manager (Debian: `apt-get install chromium`)',
    };
  }
  try {
    await install();
  } catch {
    return { missing: 'there is no /usr/bin/chromium, and `apt-get install chromium` failed' };
  }
  const found = await installed();
  return found === undefined
    ? { missing: 'the chromium that apt-get installed does not run' }
    : { program: found };
}

async function installed(): Promise<string | undefined> {
  for (const program of programs) if (await succeeds(program, '--version')) return program;
  return undefined;
}

/** Several test files can come here at once, and apt-get refuses to run beside itself: the lock puts them in a row. */
async function install(): Promise<void> {
  const command =
    'command -v chromium || { apt-get update -q && apt-get install -y -q --no-install-recommends chromium; }';
  await run('flock', ['/var/cache/apt', 'sh', '-c', command], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 300_000,
  });
}

async function succeeds(program: string, ...words: readonly string[]): Promise<boolean> {
  return run(program, words, { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
}
