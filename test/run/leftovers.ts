import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** What tools keep between runs, in a temporary folder that is not the run's. */
const caches = [/^tsx-\d+$/, /^node-compile-cache$/, /^jest_/];

/** The names in a folder that are not a tool's cache. */
export async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => !caches.some((cache) => cache.test(name)));
}

/** A process that was started with the run's temporary folder. */
export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * The processes with this temporary folder, except this process and its children, which are the test runner's own. A
 * process that is about to end gets some seconds for it. Empty where there is no /proc.
 */
export async function processesOf(folder: string): Promise<LeftProcess[]> {
  for (let attempt = 0; ; attempt += 1) {
    const found = await findProcesses(folder);
    if (found.length === 0 || attempt === 30) return found;
    await wait(100);
  }
}

/** Kills processes that have not ended by themselves. */
export async function endProcesses(processes: readonly LeftProcess[]): Promise<void> {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

async function findProcesses(folder: string): Promise<LeftProcess[]> {
  const entries = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    entries.filter((entry) => /^\d+$/.test(entry)).map((entry) => readProcess(Number(entry), folder)),
  );
  return found.filter((one) => one !== undefined);
}

async function readProcess(pid: number, folder: string): Promise<LeftProcess | undefined> {
  if (pid === process.pid) return;
  try {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8');
    const variables = (await read('environ')).split('\0');
    if (!variables.includes(`TMPDIR=${folder}`)) return;
    // After the name, which may hold anything, in parentheses: the state and the parent.
    const [, parent] = (await read('stat')).replace(/^.*\) /s, '').split(' ');
    if (Number(parent) === process.pid) return;
    return { pid, command: `${pid} ${(await read('cmdline')).replaceAll('\0', ' ')}`.trim() };
  } catch {
    return; // It ended, or is another user's.
  }
}
