import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** What tells a process from every other one, as far as the platform shows it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The machine and, where there are such, the container: process ids say nothing beyond them. */
  readonly place: string;
  /** When it started, in ticks since the machine did: a process id is used again, this pair is not. Linux alone shows it. */
  readonly start: string | undefined;
}

/** This process. */
export async function describeThisProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, place: await thisPlace(), start: await startOf(process.pid) };
}

/** Reads what {@link describeThisProcess} gave, as JSON; `undefined` where it is something else. */
export function readIdentity(text: string): ProcessIdentity | undefined {
  try {
    const { pid, place, start }: { pid?: unknown; place?: unknown; start?: unknown } = JSON.parse(text) ?? {};
    if (!Number.isSafeInteger(pid) || Number(pid) < 1 || typeof place !== 'string') return undefined;
    return { pid: Number(pid), place, start: typeof start === 'string' ? start : undefined };
  } catch {
    return undefined;
  }
}

/** Whether a process has surely ended. In any doubt it has not. */
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
  // Its second field is the name of the program in parentheses, which may hold anything. The 22nd is the start.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}
