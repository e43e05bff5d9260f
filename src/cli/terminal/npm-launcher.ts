import { readFileSync } from 'node:fs';

/** A process as the system describes it. */
export interface DescribedProcess {
  readonly parent: number;
  readonly command: string;
}

/**
 * The processes that started this one for npm and wait for it: npm, and the shell between them where there is one.
 * They end before this process only if they are killed. Empty for every other start: with a service, a container, `nohup` or
 * `&`, the parent may end while this process continues.
 *
 * @param describe Describes a process, or returns undefined if it cannot.
 */
export function npmLaunchers(
  env: Readonly<Record<string, string | undefined>>,
  parent: number,
  describe: (pid: number) => DescribedProcess | undefined,
): readonly number[] {
  // npm and npx set what their shell runs. The shell waits for this command if it is the only one.
  const script = env.npm_lifecycle_script?.replaceAll(/['"]/g, '').trim() ?? '';
  if (!/^(.*\/)?messaging-automation( [^&;|()`\n]*)?$/.test(script)) return [];
  const shell = describe(parent);
  const isShell = shell !== undefined && !isNpm(shell) && isNpm(describe(shell.parent));
  return isShell ? [parent, shell.parent] : [parent];
}

/**
 * Finds the processes that started this one for npm, and returns a function that calls back when one of them has ended. Call
 * it early: after npm has ended, it can no longer be found.
 */
export function watchNpm(): (callback: () => void) => void {
  const parent = process.ppid;
  const launchers = npmLaunchers(process.env, parent, describeProcess);
  return (callback) => {
    if (launchers.length === 0) return;
    // The system does not report the end of a process that is not a child, so poll.
    const look = setInterval(() => {
      if (process.ppid === parent && launchers.every(isAlive)) return;
      clearInterval(look);
      callback();
    }, 500);
    look.unref();
  };
}

/** npm sets the title of its process: `npm exec …`, `npm run …`. */
function isNpm(described: DescribedProcess | undefined): boolean {
  return described !== undefined && /^np[mx]\b/.test(described.command);
}

/** Elsewhere than on Linux, the shell of npm becomes the command, so that its parent is npm. */
function describeProcess(pid: number): DescribedProcess | undefined {
  try {
    // After the name, which may hold anything, in parentheses: the state and the parent.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return { parent: Number(parent), command };
  } catch {
    return; // It ended, or the system does not say.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
