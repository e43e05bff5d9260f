import { watchNpm } from './npm-launcher.js';
import type { Terminal } from './terminal.js';

const onNpmGone = watchNpm();

/** The terminal this process runs in. */
export const processTerminal: Terminal = {
  env: process.env,
  colors: process.stdout.isTTY && process.stdout.hasColors(),
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (text) => void process.stderr.write(text),
  stopRequested: () =>
    new Promise((resolve) => {
      // `once`, so that a second signal ends the process at once, as it does without a handler.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
      // npm does not pass every signal on, and its shell passes none.
      onNpmGone(resolve);
    }),
};
