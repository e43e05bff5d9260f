import { Command } from 'commander';
import {
  type ControlOptions,
  controlSurfaceOf,
  withControlOptions,
} from '../running-server/control-options.js';
import { withoutQuery } from '../terminal/printable.js';
import { styled, type Terminal } from '../terminal/terminal.js';

interface DeliveryOptions extends ControlOptions {
  readonly json: boolean;
}

const explainExamples = `Examples:
  $ messaging-automation explain delivery_81d2e6f0
  $ messaging-automation explain delivery_81d2e6f0 --json | jq -r '.causes[0].cause'
`;

const explainNotes = `
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
    .addHelpText('before', explainExamples)
    .addHelpText('after', explainNotes)
    .action(async (id: string, options: DeliveryOptions) => {
      await explain(terminal, id, options);
      exitWith(0);
    });
}

async function explain(terminal: Terminal, id: string, options: DeliveryOptions): Promise<void> {
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

const redeliverExamples = `Examples:
  $ messaging-automation redeliver delivery_81d2e6f0
`;

const redeliverNotes = `
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
    .addHelpText('before', redeliverExamples)
    .addHelpText('after', redeliverNotes)
    .action(async (id: string, options: DeliveryOptions) => {
      await redeliver(terminal, id, options);
      exitWith(0);
    });
}

async function redeliver(terminal: Terminal, id: string, options: DeliveryOptions): Promise<void> {
  const surface = controlSurfaceOf(terminal, options);
  const answer = await surface.ask('POST', `/control/deliveries/${encodeURIComponent(id)}/redeliver`);
  const delivery: Readonly<Record<'id' | 'event' | 'url', unknown>> = Object(answer);
  if (typeof delivery.id !== 'string') throw surface.missing();
  const { event, url } = delivery;
  const line = `${delivery.id} repeats ${id}: the same ${event} to ${withoutQuery(String(url))}.`;
  terminal.print(options.json ? surface.json(answer) : surface.shown(line));
}
