import { Command } from 'commander';
import {
  type ControlOptions,
  controlSurfaceOf,
  withControlOptions,
} from '../running-server/control-options.js';
import { withoutQuery } from '../terminal/printable.js';
import type { Terminal } from '../terminal/terminal.js';

interface RedeliverOptions extends ControlOptions {
  readonly json: boolean;
}

const examples = `Examples:
  $ messaging-automation redeliver delivery_81d2e6f0
`;

const notes = `
The receiver gets the same bytes again, so that you see whether it handles a
delivery only once. This is a new delivery, with its own id and attempts.

\`messaging-automation logs --type attempt\` prints the ids of deliveries, and the
attempts of this one.

Exit codes:
  0  the delivery is on its way
  1  there is no such delivery, or the server does not answer
  2  the command line is wrong`;

/** `messaging-automation redeliver`: sends a delivery again. */
export function redeliverCommand(terminal: Terminal, exitWith: (code: number) => void): Command {
  return withControlOptions(
    new Command('redeliver').description('send the bytes of a delivery to its receiver again'),
  )
    .argument('<id>', 'the id of the delivery')
    .option('--json', 'print the new delivery as JSON', false)
    .addHelpText('before', examples)
    .addHelpText('after', notes)
    .action(async (id: string, options: RedeliverOptions) => {
      await redeliver(terminal, id, options);
      exitWith(0);
    });
}

async function redeliver(terminal: Terminal, id: string, options: RedeliverOptions): Promise<void> {
  const surface = controlSurfaceOf(terminal, options);
  const answer = await surface.ask('POST', `/control/deliveries/${encodeURIComponent(id)}/redeliver`);
  const delivery: Readonly<Record<'id' | 'event' | 'url', unknown>> = Object(answer);
  if (typeof delivery.id !== 'string') throw surface.missing();
  const { event, url } = delivery;
  const line = `${delivery.id} repeats ${id}: the same ${event} to ${withoutQuery(String(url))}.`;
  terminal.print(options.json ? surface.json(answer) : surface.shown(line));
}
