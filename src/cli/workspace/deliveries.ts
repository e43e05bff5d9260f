import { Command } from 'commander';
import type { DeliveryExplanation } from '../../server/index.js';
import { type ControlOptions, controlSurfaceOf, withControlOptions } from '../running-server/options.js';
import { type CliCommand, styled, type Terminal, withoutQuery } from '../terminal/terminal.js';

/** `messaging-automation explain`: prints why a delivery failed. */
export const explainCommand: CliCommand = {
  define: () =>
    withControlOptions(new Command('explain').description('explain why a delivery failed, and what to do'))
      .argument('<id>', 'the id of the delivery')
      .option('--json', 'print the explanation as JSON, with the signature and the clocks', false),
  examples: `  $ messaging-automation explain delivery_81d2e6f0
  $ messaging-automation explain delivery_81d2e6f0 --json | jq -r '.causes[0].cause'`,
  notes: `Prints the causes, most likely first, and what to do about each: nothing listens
at the URL, the receiver has another secret, a parser changed the body, a clock is
wrong, an injected fault. A cause is certain, likely or possible. There is only
one certain cause.

\`messaging-automation logs --type attempt\` prints the ids of deliveries.

Exit codes:
  0  it explained the delivery
  1  there is no such delivery, or the server does not answer
  2  the command line is wrong`,
  run: explain,
};

async function explain(terminal: Terminal, id: string, options: ControlOptions): Promise<void> {
  const surface = controlSurfaceOf(terminal, options);
  const path = `/control/deliveries/${encodeURIComponent(id)}/explanation`;
  const answer = await surface.ask('GET', path, { expected: 'causes' });
  if (options.json) return terminal.print(surface.json(answer));
  const { deliveryId, status, causes }: DeliveryExplanation = Object(answer);
  terminal.print(surface.shown(`${deliveryId} is ${status}.`));
  for (const { cause, certainty, explanation, advice } of causes) {
    const lines = [
      `${styled(terminal, 'bold', surface.shown(cause))} (${surface.shown(certainty)})`,
      surface.shown(explanation),
      surface.shown(advice),
    ];
    terminal.print(`\n  ${lines.join('\n  ')}`);
  }
}

/** `messaging-automation redeliver`: sends a delivery again. */
export const redeliverCommand: CliCommand = {
  define: () =>
    withControlOptions(
      new Command('redeliver').description('send the bytes of a delivery to its receiver again'),
    )
      .argument('<id>', 'the id of the delivery')
      .option('--json', 'print the new delivery as JSON', false),
  examples: `  $ messaging-automation redeliver delivery_81d2e6f0`,
  notes: `The receiver gets the same bytes again, so that you see whether it handles a
delivery only once. This is a new delivery, with its own id and attempts.

\`messaging-automation logs --type attempt\` prints the ids of deliveries, and the
attempts of this one.

Exit codes:
  0  the delivery is on its way
  1  there is no such delivery, or the server does not answer
  2  the command line is wrong`,
  run: redeliver,
};

async function redeliver(terminal: Terminal, id: string, options: ControlOptions): Promise<void> {
  const surface = controlSurfaceOf(terminal, options);
  const path = `/control/deliveries/${encodeURIComponent(id)}/redeliver`;
  const answer = await surface.ask('POST', path, { expected: 'id' });
  const line = `${answer.id} repeats ${id}: the same ${answer.event} to ${withoutQuery(`${answer.url}`)}.`;
  terminal.print(options.json ? surface.json(answer) : surface.shown(line));
}
