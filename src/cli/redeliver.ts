import { Command } from 'commander';
import { type ControlOptions, controlSurfaceOf, withControlOptions } from './control-options.js';
import type { Terminal } from './terminal.js';
import { withoutQuery } from './without-query.js';

interface RedeliverOptions extends ControlOptions {
  readonly json: boolean;
}

const examples = `
The receiver gets the same bytes once more, so that you see whether it handles a delivery once. It is a new delivery with
attempts of its own. \`messaging-automation logs --type attempt\` shows the ids of deliveries, and how this one goes.

Examples:
  $ messaging-automation redeliver delivery_81d2e6f0

Exit codes: 0 where the delivery is on its way, 1 where it is not known or the server is not there, 2 for a command that makes
no sense.
`;

/** `messaging-automation redeliver`: sends a delivery once more. */
export function redeliverCommand(terminal: Terminal, exitWith: (code: number) => void): Command {
  return withControlOptions(
    new Command('redeliver').description('send the bytes of a delivery to its receiver once more'),
  )
    .argument('<id>', 'the id of the delivery')
    .option('--json', 'print the new delivery as JSON', false)
    .addHelpText('after', examples)
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
  const line = `${delivery.id} takes the same ${event} to ${withoutQuery(String(url))} as ${id} did.`;
  terminal.print(options.json ? surface.json(answer) : surface.shown(line));
}
