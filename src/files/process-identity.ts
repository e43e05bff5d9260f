import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** The identity of a process, as far as the platform shows it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The machine, and the container if there is one. A process id is unique only within it. */
  readonly place: string;
  /** The start time in ticks since boot, on Linux only. Process ids are reused; a pair of id and start time is not. */
  readonly start: string | undefined;
}

/** This process. */
export async function describeThisProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, place: await thisPlace(), start: await startOf(process.pid) };
}

/** Parses the JSON of {@link describeThisProcess}; `undefined` for anything else. */
export function readIdentity(text: string): ProcessIdentity | undefined {
  try {
    const { pid, place, start }: { pid?: unknown; place?: unknown; start?: unknown } = JSON.parse(text) ?? {};
    if (!Number.isSafeInteger(pid) || Number(pid) < 1 || typeof place !== 'string') return undefined;
    return { pid: Number(pid), place, start: typeof start === 'string' ? start : undefined };
  } catch {
    return undefined;
  }
}

/** Whether a process has certainly ended. If in doubt, false. */
export async function hasSurelyEnded(identity: ProcessIdentity | undefined): Promise<boolean> {
  if (identity === undefined || identity.place !== (await thisPlace())) return false;
  if (!exists(identity.pid)) return true;
  const start = await startOf(identity.pid);
  return identity.start !== undefined && start !== undefined && start !== identity.start;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0); // sends no signal
    return true;
  } catch (error) {
    const { code }: { code?: unknown } = Object(error);
    return code !== 'ESRCH';
  }
}

async function thisPlace(): Promise<string> {
  const container = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${hostname()} ${container}`.trim();
}

async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program name in parentheses, which may contain anything. The 22nd is the start time.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}
