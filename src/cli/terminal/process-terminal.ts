import { systemClock } from '../../foundation/clock.js';
import { watchNpm } from './npm-launcher.js';
import { type Terminal, terminalLine, terminalLines } from './terminal.js';

const onNpmGone = watchNpm();

/** Resolves when the output takes nothing more: the terminal was closed, the next command of the pipe ended, or the disk is full. */
const outputEnded = new Promise<unknown>((resolve) => process.stdout.on('error', resolve));

/** Why the output of a command could not be written. `undefined` if it was, or if nobody wanted to read it to its end. */
export async function outputFailure(): Promise<unknown> {
  // The error of a write comes after its callback.
  const written = new Promise<undefined>((resolve) =>
    process.stdout.write('', () => setImmediate(() => resolve(undefined))),
  );
  const error = await Promise.race([outputEnded, written]);
  return Reflect.get(Object(error), 'code') === 'EPIPE' ? undefined : error;
}
process.stderr.on('error', () => {}); // no reader is left

/** The terminal this process runs in. */
export const processTerminal: Terminal = {
  env: process.env,
  clock: systemClock,
  colors: process.stdout.isTTY && process.stdout.hasColors(),
  screen: process.stderr.isTTY && process.env.TERM !== 'dumb',
  get columns() {
    return process.stderr.columns || 80; // 0 where the terminal does not say
  },
  interactive: process.stdin.isTTY && process.stderr.isTTY,
  print: (...lines) => void process.stdout.write(lines.map((line) => `${terminalLine(line)}\n`).join('')),
  complain: (text) => void process.stderr.write(terminalLines(text)),
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
