import type { Command } from 'commander';
import type { Terminal } from './terminal.js';

/** A command of the program. */
export interface CliCommand {
  /** Its name, arguments and options. */
  readonly define: () => Command;
  /** The examples at the beginning of its help. */
  readonly examples: string;
  /** The end of its help. */
  readonly notes: string;
  /** Does its work with its arguments and its options. Resolves to the exit code. Default: 0. */
  run(terminal: Terminal, ...given: readonly unknown[]): Promise<number> | Promise<void>;
}
