import { Argument, Command } from 'commander';
import {
  type ControlOptions,
  controlSurfaceOf,
  withControlOptions,
} from '../running-server/control-options.js';
import type { ControlSurface } from '../running-server/control-surface.js';
import { UsageError } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';

interface ClockOptions extends ControlOptions {
  readonly json: boolean;
}

const actions = ['advance', 'set', 'next', 'run-to-idle', 'freeze', 'flow'] as const;

type Action = (typeof actions)[number];

/** The paths of the actions that take no value. */
const paths = {
  next: '/control/clock/advance-to-next',
  'run-to-idle': '/control/clock/run-to-idle',
  freeze: '/control/clock/freeze',
  flow: '/control/clock/flow',
};

const examples = `Examples:
  $ messaging-automation clock
  $ messaging-automation clock advance 10s                  # ms, s, m, h or d
  $ messaging-automation clock set 2026-02-01T00:00:00Z
  $ messaging-automation clock next                         # to the next work that waits
  $ messaging-automation clock run-to-idle                  # until no work waits
  $ messaging-automation clock freeze                       # stop the time where it is
  $ messaging-automation clock flow                         # let it run again
`;

const notes = `
Without an action it prints the time of the workspace that the key opens.

Advancing the clock runs all work that becomes due on the way, in order: delivery
retries, waits of journeys, simulated latencies. The command ends when that work
is done, and prints the new time. A clock only moves forward.

A flowing clock runs with the machine's. A frozen one moves only by this command.
--json also prints which of the two it is, and when the next work is due.

Exit codes:
  0  it printed the time
  1  the server does not answer, or refuses
  2  the command line is wrong`;

/** `messaging-automation clock`: prints the time of a workspace, advances it, freezes it or lets it flow. */
export function clockCommand(terminal: Terminal, exitWith: (code: number) => void): Command {
  return withControlOptions(
    new Command('clock').description('print, move or freeze the clock of a workspace'),
  )
    .addArgument(new Argument('[action]', 'what to do with the clock').choices(actions))
    .argument('[value]', 'the duration to advance it by, or the instant to set it to')
    .option('--json', 'print JSON', false)
    .addHelpText('before', examples)
    .addHelpText('after', notes)
    .action(async (action: Action | undefined, value: string | undefined, options: ClockOptions) => {
      await clock(terminal, action, value, options);
      exitWith(0);
    });
}

async function clock(
  terminal: Terminal,
  action: Action | undefined,
  value: string | undefined,
  options: ClockOptions,
): Promise<void> {
  const move = moveOf(action, value);
  const surface = controlSurfaceOf(terminal, options);
  const answer = await move(surface);
  const { time }: { readonly time?: unknown } = Object(answer);
  if (typeof time !== 'string') throw surface.missing();
  terminal.print(options.json ? surface.json(answer) : surface.shown(time));
}

/** The request for an action. */
function moveOf(
  action: Action | undefined,
  value: string | undefined,
): (surface: ControlSurface) => Promise<unknown> {
  if (action === 'advance' || action === 'set') {
    if (value === undefined) {
      throw new UsageError(
        action === 'advance'
          ? 'clock advance needs a duration, as in: clock advance 10s.'
          : 'clock set needs an instant, as in: clock set 2026-02-01T00:00:00Z.',
      );
    }
    const amount = /^\d+$/.test(value) ? Number(value) : value;
    const body = action === 'advance' ? { by: amount } : { to: amount };
    return (surface) => surface.ask('POST', `/control/clock/${action}`, { body });
  }
  if (action === undefined) return (surface) => surface.ask('GET', '/control/clock');
  if (value !== undefined) throw new UsageError(`clock ${action} takes no value.`);
  return (surface) => surface.ask('POST', paths[action]);
}
