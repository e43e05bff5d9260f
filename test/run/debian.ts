import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A thing that tests need, or why it cannot be had on this machine. */
export type Availability<Found> = Found | { readonly missing: string };

/** Finds a program. Where there is none, installs Debian's package of it, if this process may. */
export async function findOrInstall<Found>(
  packageName: string,
  find: () => Promise<Found | undefined>,
): Promise<Availability<Found>> {
  const found = await find();
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || !(await succeeds('apt-get', '--version'))) {
    return {
      missing: `${packageName} is not installed, and installing it needs root and apt-get. Install it by your package manager (Debian: \`apt-get install ${packageName}\`)`,
    };
  }
  try {
    await install(packageName);
  } catch {
    return { missing: `${packageName} is not installed, and \`apt-get install ${packageName}\` failed` };
  }
  return (await find()) ?? { missing: `the ${packageName} that apt-get installed does not run` };
}

/** Finds a program that can say its version, or installs its package. */
export function findProgram(
  packageName: string,
  program: string,
  version = '--version',
): Promise<Availability<{ readonly program: string }>> {
  return findOrInstall(packageName, async () =>
    (await succeeds(program, version)) ? { program } : undefined,
  );
}

/** Whether a command runs and exits with 0. */
export function succeeds(program: string, ...words: readonly string[]): Promise<boolean> {
  return run(program, words, { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
}

/** Says in the output of the run that tests do not run, and why. Returns the message, as a suffix for the name of a block. */
export function notRun(tests: string, why: string): string {
  const message = `NOT RUN: ${tests}, because ${why}.`;
  process.emitWarning(message);
  return ` (${message})`;
}

/** Two runs can install at once, and apt-get refuses to run twice: the lock makes one wait. */
async function install(packageName: string): Promise<void> {
  // Debian's PostgreSQL would create and start a server of its own.
  const noServer = '/etc/postgresql-common/createcluster.d/no-main-cluster.conf';
  const command = [
    'set -e',
    `trap 'rm -f ${noServer}' EXIT`,
    `mkdir -p "$(dirname ${noServer})"`,
    `echo 'create_main_cluster = false' > ${noServer}`,
    'apt-get update -q',
    `apt-get install -y -q --no-install-recommends ${packageName}`,
  ].join('\n');
  await run('flock', ['/var/cache/apt', 'sh', '-c', command], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 300_000,
  });
}
