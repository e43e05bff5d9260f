import { WriteStream } from 'node:tty';
import { systemClock } from '../../foundation/clock.js';
import { watchNpm } from './npm-launcher.js';
import { type Terminal, terminalLine, terminalLines } from './terminal.js';

const onNpmGone = watchNpm();

/** Resolves when the output takes nothing more: the terminal was closed, the next command of the pipe ended, or the disk is full. */
const outputEnded = new Promise<unknown>((resolve) => process.stdout.on('error', resolve));

/** Why the output could not be written. `undefined` if it was. */
async function outputFailure(): Promise<unknown> {
  // The error of a write comes after its callback.
  const written = new Promise<undefined>((resolve) =>
    process.stdout.write('', () => setImmediate(() => resolve(undefined))),
  );
  return Promise.race([outputEnded, written]);
}
process.stderr.on('error', () => {}); // no reader is left

/**
 * Whether a stream shows colours, as Node.js decides it: by FORCE_COLOR, NO_COLOR, NODE_DISABLE_COLORS, TERM, COLORTERM and CI. Node.js 20
 * takes an empty NO_COLOR for one that is set, and asks only terminals.
 */
export function showsColors(
  { isTTY = false }: { readonly isTTY?: boolean },
  env: NodeJS.ProcessEnv,
): boolean {
  if (!isTTY && env.FORCE_COLOR === undefined) return false;
  const { NO_COLOR, ...others } = env;
  return WriteStream.prototype.getColorDepth(NO_COLOR ? env : others) > 1;
}

/** The terminal this process runs in. */
export const processTerminal: Terminal = {
  env: process.env,
  clock: systemClock,
  colors: showsColors(process.stdout, process.env),
  screen: process.stderr.isTTY && process.env.TERM !== 'dumb',
  get columns() {
    return process.stderr.columns || 80; // 0 where the terminal does not say
  },
  interactive: process.stdin.isTTY && process.stderr.isTTY,
  print: (...lines) => void process.stdout.write(lines.map((line) => `${terminalLine(line)}\n`).join('')),
  complain: (text) => void process.stderr.write(terminalLines(text)),
  outputFailure,
  overwrite: (line) => void process.stderr.write(`\r\u001b[2K${terminalLine(line)}`),
  streams: () => ({ input: process.stdin, output: process.stdout }),
  stopRequested: () =>
    new Promise((resolve) => {
      const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
      // Without a listener, a second signal of any kind ends the process at once.
      const stop = () => {
        for (const signal of signals) process.off(signal, stop);
        resolve();
      };
      for (const signal of signals) process.on(signal, stop);
      void outputEnded.then(() => {
        process.stderr.write('Nothing reads the output any more, so the command stops.\n');
        resolve();
      });
      // npm does not pass every signal on, and its shell passes none.
      onNpmGone(resolve);
    }),
};
