import { Command } from 'commander';
import type { ControlClient } from '../running-server/control-client.js';
import { control } from '../running-server/operations.js';
import { type ControlOptions, controlClientOf, withControlOptions } from '../running-server/options.js';
import { confirm } from '../terminal/confirm.js';
import { messageOf, UsageError } from '../terminal/failures.js';
import { type CliCommand, shownArgument, styled, type Terminal, withoutQuery } from '../terminal/terminal.js';
import { duration } from '../terminal/time.js';

/** `messaging-automation explain`: prints why a delivery failed. */
export const explainCommand: CliCommand = {
  define: () =>
    withControlOptions(
      new Command('explain').description('explain why a delivery failed, and what to do'),
    ).argument('<id>', 'the id of the delivery'),
  examples: `  $ messaging-automation explain delivery_81d2e6f0
  $ messaging-automation explain delivery_81d2e6f0 --json | jq -r '.causes[0].cause'`,
  notes: `Prints the causes, most likely first, and what to do about each: nothing listens
at the URL, the receiver has another secret, a parser changed the body, a clock is
wrong, an injected fault. A cause is certain, likely or possible. If
one is certain, it is the only one.

\`messaging-automation logs --type attempt\` prints the ids of deliveries.

Exit codes:
  0  it explained the delivery
  1  there is no such delivery, or the server does not respond
  2  the command line is wrong`,
  run: explain,
};

async function explain(terminal: Terminal, id: string, options: ControlOptions): Promise<void> {
  const surface = controlClientOf(terminal, options);
  const response = await surface.ask(control.deliveries.explain, { path: { id }, expected: 'causes' });
  if (options.json) return terminal.print(surface.json(response));
  const { deliveryId, status, causes } = response;
  terminal.print(surface.shown(`${deliveryId} is ${status}.`));
  for (const { cause, certainty, explanation, advice } of causes) {
    terminal.print(
      '',
      `  ${styled(terminal, 'bold', surface.shown(cause))} (${surface.shown(certainty)})`,
      `  ${surface.shown(explanation)}`,
      `  ${surface.shown(advice)}`,
    );
  }
  if (status === 'failed')
    terminal.print(
      '',
      `When this is corrected, send it again: messaging-automation redeliver ${shownArgument(id)}`,
    );
}

interface RedeliverOptions extends ControlOptions {
  readonly failed: boolean;
  readonly since?: number;
  readonly yes: boolean;
}

/** `messaging-automation redeliver`: sends deliveries again. */
export const redeliverCommand: CliCommand = {
  define: () =>
    withControlOptions(
      new Command('redeliver').description('send the bytes of deliveries to their receivers again'),
    )
      .argument('[id]', 'the id of the delivery')
      .option('--failed', 'every delivery that failed', false)
      .option(
        '--since <duration>',
        'with --failed: only those of the last 30m, 1h or 7d, for example',
        duration,
      )
      .option('--yes', 'with --failed: do not ask for confirmation', false),
  examples: `  $ messaging-automation redeliver delivery_81d2e6f0
  $ messaging-automation redeliver --failed --since 1h`,
  notes: `The receiver gets the same bytes again, so that you see whether it handles a
delivery only once. This is a new delivery, with its own id and attempts.

--failed prints how many deliveries failed, and asks. Off a terminal it needs --yes.
It skips a delivery that has been redelivered, so that you can run it again. If two
run at once, each delivery is redelivered by one of them, and the other says so.
--since counts from the creation, by the workspace's clock.

\`messaging-automation logs --type attempt\` prints the ids of deliveries, and the
attempts of the new ones.

Exit codes:
  0  each delivery is on its way, or none failed
  1  a delivery is not, or the server does not respond
  2  the command line is wrong`,
  run: redeliver,
};

async function redeliver(
  terminal: Terminal,
  id: string | undefined,
  options: RedeliverOptions,
): Promise<number> {
  const { failed, since } = options;
  if (failed === (id !== undefined) || (since !== undefined && !failed))
    throw new UsageError('Name one delivery by its id, or pass --failed, with or without --since.');
  const surface = controlClientOf(terminal, options);
  if (id === undefined) return redeliverFailed(terminal, surface, options);
  await repeat(surface, id);
  return 0;
}

/** @param query - With `ifFailed`, leaves out a delivery that another command has redelivered meanwhile. */
async function repeat(
  surface: ControlClient,
  id: string,
  query: { readonly ifFailed?: 'true' } = {},
): Promise<void> {
  const response = await surface.ask(control.deliveries.redeliver, { path: { id }, query, expected: 'id' });
  const what = `the same ${response.event} to ${withoutQuery(`${response.url}`)}`;
  surface.report(`${response.id} repeats ${id}: ${what}.`, response);
}

/** The status of a delivery that has not failed, or has a redelivery. */
const conflict = 409;

async function redeliverFailed(
  terminal: Terminal,
  surface: ControlClient,
  { since = Number.POSITIVE_INFINITY, yes }: RedeliverOptions,
): Promise<number> {
  const { now } = await surface.ask(control.clock.now, { expected: 'now' });
  const deliveries = await failedDeliveries(surface, now - since);
  if (deliveries.length === 0) {
    terminal.complain('No delivery has failed. One that waits for a retry does not count yet.\n');
    return 0;
  }
  const endpoints = new Set(deliveries.map(({ url }) => url)).size;
  terminal.complain(`Failed deliveries: ${deliveries.length}. Their endpoints: ${endpoints}.\n`);
  await confirm(terminal, 'Redeliver them?', yes);
  let [refused, repeatedElsewhere] = [0, 0];
  for (const { id } of deliveries) {
    await repeat(surface, id, { ifFailed: 'true' }).catch((error: unknown) => {
      if (Object(error).status === conflict) repeatedElsewhere += 1;
      else refused += 1;
      terminal.complain(`${surface.shown(`${id}: ${messageOf(error)}`)}\n`);
    });
  }
  const sent = deliveries.length - refused - repeatedElsewhere;
  const others = repeatedElsewhere === 0 ? '' : ` Redelivered by another command: ${repeatedElsewhere}.`;
  terminal.complain(`${sent} of ${deliveries.length} are on their way.${others}\n`);
  return refused === 0 ? 0 : 1;
}

/** The deliveries since a time that failed, without those that have a redelivery: it may be on its way, or has failed itself. */
async function failedDeliveries(surface: ControlClient, since: number) {
  const failed: { readonly id: string; readonly url: string }[] = [];
  const repeated = new Set<string | undefined>();
  for await (const { data } of surface.pages(control.deliveries.find)) {
    for (const delivery of data) {
      repeated.add(delivery.redeliveryOf);
      if (delivery.status === 'failed' && delivery.createdAt >= since) failed.push(delivery);
    }
  }
  return failed.filter(({ id }) => !repeated.has(id));
}
