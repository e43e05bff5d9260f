import { Command } from 'commander';
import {
  type ControlOptions,
  controlSurfaceOf,
  withControlOptions,
} from '../running-server/control-options.js';
import { styled, type Terminal } from '../terminal/terminal.js';

interface ExplainOptions extends ControlOptions {
  readonly json: boolean;
}

const examples = `Examples:
  $ messaging-automation explain delivery_81d2e6f0
  $ messaging-automation explain delivery_81d2e6f0 --json | jq -r '.causes[0].cause'
`;

const notes = `
Prints the causes, most likely first, and what to do about each: nothing listens
at the URL, the receiver has another secret, a parser changed the body, a clock is
wrong, an injected fault. A cause is certain, likely or possible. There is only
one certain cause.

\`messaging-automation logs --type attempt\` prints the ids of deliveries.

Exit codes:
  0  it explained the delivery
  1  there is no such delivery, or the server does not answer
  2  the command line is wrong`;

/** `messaging-automation explain`: prints why a delivery failed. */
export function explainCommand(terminal: Terminal, exitWith: (code: number) => void): Command {
  return withControlOptions(
    new Command('explain').description('explain why a delivery failed, and what to do'),
  )
    .argument('<id>', 'the id of the delivery')
    .option('--json', 'print the explanation as JSON, with the signature and the clocks', false)
    .addHelpText('before', examples)
    .addHelpText('after', notes)
    .action(async (id: string, options: ExplainOptions) => {
      await explain(terminal, id, options);
      exitWith(0);
    });
}

async function explain(terminal: Terminal, id: string, options: ExplainOptions): Promise<void> {
  const surface = controlSurfaceOf(terminal, options);
  const answer = await surface.ask('GET', `/control/deliveries/${encodeURIComponent(id)}/explanation`);
  const { deliveryId, status, causes }: Readonly<Record<string, unknown>> = Object(answer);
  if (typeof deliveryId !== 'string' || !Array.isArray(causes)) throw surface.missing();
  if (options.json) return terminal.print(surface.json(answer));
  terminal.print(surface.shown(`${deliveryId} is ${status}.`));
  for (const { cause, certainty, explanation, advice } of causes) {
    const name = surface.shown(`${cause}`);
    const lines = [`${styled(terminal, 'bold', name)} (${surface.shown(`${certainty}`)})`];
    for (const text of [explanation, advice]) lines.push(surface.shown(`${text}`));
    terminal.print(`\n  ${lines.join('\n  ')}`);
  }
}
