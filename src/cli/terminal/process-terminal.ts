import { machineClock } from './machine-clock.js';
import { watchNpm } from './npm-launcher.js';
import type { Terminal } from './terminal.js';

const onNpmGone = watchNpm();

/** Resolves when the output has no reader: the terminal was closed, or the next command of the pipe ended. */
const outputEnded = new Promise<void>((resolve) => process.stdout.on('error', () => resolve()));
process.stderr.on('error', () => {}); // no reader is left

/** The terminal this process runs in. */
export const processTerminal: Terminal = {
  env: process.env,
  clock: machineClock,
  colors: process.stdout.isTTY && process.stdout.hasColors(),
  screen: process.stderr.isTTY && process.env.TERM !== 'dumb',
  get columns() {
    return process.stderr.columns || 80; // 0 where the terminal does not say
  },
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (text) => void process.stderr.write(text),
  readInput: async () => Buffer.concat(await process.stdin.toArray()),
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
      void outputEnded.then(resolve);
      // npm does not pass every signal on, and its shell passes none.
      onNpmGone(resolve);
    }),
};
