import { Argument, Command } from 'commander';
import { type ControlOptions, controlSurfaceOf, withControlOptions } from '../running-server/options.js';
import { UsageError } from '../terminal/failures.js';
import type { CliCommand, Terminal } from '../terminal/terminal.js';

/** What each action asks for, and the field of its value, if it takes one. */
const actions: Readonly<Record<string, { path: string; field?: string; value?: string }>> = {
  advance: { path: 'advance', field: 'by', value: 'a duration, as in: clock advance 10s' },
  set: { path: 'set', field: 'to', value: 'an instant, as in: clock set 2026-02-01T00:00:00Z' },
  next: { path: 'advance-to-next' },
  'run-to-idle': { path: 'run-to-idle' },
  freeze: { path: 'freeze' },
  flow: { path: 'flow' },
};

/** How long the work on the way may take, in milliseconds. */
const longestWork = 600_000;

/** `messaging-automation clock`: prints the time of a workspace, advances it, freezes it or lets it flow. */
export const clockCommand: CliCommand = {
  define: () =>
    withControlOptions(new Command('clock').description('print, move or freeze the clock of a workspace'))
      .addArgument(new Argument('[action]', 'what to do with the clock').choices(Object.keys(actions)))
      .argument('[value]', 'the duration to advance it by, or the instant to set it to'),
  examples: `  $ messaging-automation clock
  $ messaging-automation clock advance 10s                  # ms, s, m, h or d
  $ messaging-automation clock set 2026-02-01T00:00:00Z
  $ messaging-automation clock next                         # to the next work that waits
  $ messaging-automation clock run-to-idle                  # until no work waits
  $ messaging-automation clock freeze                       # stop the time where it is
  $ messaging-automation clock flow                         # let it run again`,
  notes: `Without an action it prints the time of the workspace that the key opens.

Advancing the clock runs all work that becomes due on the way, in order: delivery
retries, waits of journeys, simulated latencies. The command ends when that work
is done, and prints the new time. A clock only moves forward.

A flowing clock runs with the machine's. A frozen one moves only by this command.
--json also prints which of the two it is, and when the next work is due.

Exit codes:
  0  it printed the time
  1  the server does not respond, or refuses
  2  the command line is wrong`,
  run: clock,
};

async function clock(
  terminal: Terminal,
  action: string | undefined,
  value: string | undefined,
  options: ControlOptions,
): Promise<void> {
  const { path, field, value: needed } = actions[action ?? ''] ?? {};
  if (needed !== undefined && value === undefined) throw new UsageError(`clock ${action} needs ${needed}.`);
  if (needed === undefined && value !== undefined) throw new UsageError(`clock ${action} takes no value.`);
  const surface = controlSurfaceOf(terminal, options);
  const amount = value !== undefined && /^\d+$/.test(value) ? Number(value) : value;
  const response =
    path === undefined
      ? await surface.ask('GET', '/control/clock', { expected: 'time' })
      : await surface.ask('POST', `/control/clock/${path}`, {
          expected: 'time',
          timeout: longestWork,
          ...(field !== undefined && { body: { [field]: amount } }),
        });
  surface.report(`${response.time}`, response);
}
