import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { within } from '../../waiting.js';

/** What a process receives. */
export interface Setting {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly proxy: string;
  readonly checkpoint: string;
  readonly items: number;
}

/** How a process ended: what it printed, unless it was killed. */
export type End =
  | 'killed'
  | { readonly refused: string }
  | { readonly stopped?: string; readonly code?: string; readonly done: number; readonly unknown: number };

export interface Process {
  readonly end: Promise<End>;
  readonly kill: (signal: 'SIGKILL' | 'SIGTERM') => void;
}

/** @param blocks - The size, in blocks of 512 bytes, beyond which no file grows, as on a disk that is full. */
export function startProcess(program: string, setting: Setting, blocks?: number): Process {
  const words = [process.execPath, program, JSON.stringify(setting)];
  const child = spawn('sh', ['-c', `ulimit -f ${blocks ?? 'unlimited'}; exec "$@"`, 'sh', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = (signal: 'SIGKILL' | 'SIGTERM') => void child.kill(signal);
  onTestFinished(() => kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const ended = once(child, 'close').then(
    (): End => (child.signalCode === 'SIGKILL' ? 'killed' : JSON.parse(printed)),
  );
  return { end: within('the end of a process', ended, () => printed, 60_000), kill };
}
