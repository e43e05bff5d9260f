import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CommandFailure, UsageError } from './failures.js';
import type { Terminal } from './terminal.js';

/**
 * Asks before work that cannot be taken back, unless `--yes` is given.
 *
 * @throws CommandFailure if the answer is not yes; UsageError off a terminal, where nobody responds.
 */
export async function confirm(terminal: Terminal, question: string, isGiven: boolean): Promise<void> {
  if (isGiven) return;
  if (!terminal.interactive)
    throw new UsageError(`${question} Outside a terminal, pass --yes. Nothing was done.`);
  terminal.complain(`${question} [y/N] `);
  const lines = createInterface({ input: terminal.streams().input });
  const [response] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  lines.close(); // else the process does not end
  if (/^\s*y(es)?\s*$/i.test(response)) return;
  throw new CommandFailure('The answer was not yes. Nothing was done.');
}
