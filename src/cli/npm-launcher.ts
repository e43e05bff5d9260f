import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process as the system describes it. */
export interface DescribedProcess {
  readonly parent: number;
  readonly command: string;
}

/**
 * The processes that started this one for npm and wait for it: npm, and the shell between them where there is one.
 * They end first only if somebody kills them. Empty for every other start: a service, a container, `nohup` and `&`
 * may have their parent end and go on.
 *
 * @param describe Describes a process, or gives undefined where it cannot.
 */
export function npmLaunchers(
  env: Readonly<Record<string, string | undefined>>,
  parent: number,
  describe: (pid: number) => DescribedProcess | undefined,
): readonly number[] {
  // npm and npx say what their shell runs. It waits for this command if there is nothing else for it to do.
  if (!/^(.*\/)?messaging-automation( [^&;|()`\n]*)?$/.test(unquoted(env.npm_lifecycle_script))) return [];
  const shell = describe(parent);
  if (shell === undefined || isNpm(shell)) return [parent];
  const next = describe(shell.parent);
  return next !== undefined && isNpm(next) ? [parent, shell.parent] : [parent];
}

/**
 * Looks which processes started this one for npm, and gives a function that calls back once one of them is gone. Look
 * early: when npm has ended, nothing tells any more that it was there.
 */
export function watchNpm(): (callback: () => void) => void {
  const parent = process.ppid;
  const launchers = npmLaunchers(process.env, parent, describeProcess);
  return (callback) => {
    if (launchers.length === 0) return;
    // Nothing tells a process of the end of another that it did not start, so it looks.
    const look = setInterval(() => {
      if (process.ppid === parent && launchers.every(isAlive)) return;
      clearInterval(look);
      callback();
    }, 500);
    look.unref();
  };
}

function unquoted(script = ''): string {
  return script.replaceAll(/['"]/g, '').trim();
}

/** npm gives its process a title: `npm exec …`, `npm run …`. */
function isNpm({ command }: DescribedProcess): boolean {
  return /^np[mx]\b/.test(command);
}

function describeProcess(pid: number): DescribedProcess | undefined {
  try {
    if (process.platform !== 'linux') {
      const printed = execFileSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], { encoding: 'utf8' });
      const [, parent, command = ''] = /^\s*(\d+)\s+(.*)/.exec(printed) ?? [];
      return { parent: Number(parent), command };
    }
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
