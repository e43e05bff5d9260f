import { Argument, Command } from 'commander';
import { type DeploymentOptions, deploymentOf, withDeploymentOptions } from '../running-server/options.js';
import { type PropertyOptions, propertiesOf, withPropertyOptions } from '../running-server/properties.js';
import type { CliCommand, Terminal } from '../terminal/terminal.js';

interface TrackOptions extends DeploymentOptions, PropertyOptions {
  readonly phone: string;
}

/** `messaging-automation track`: tracks one event. */
export const trackCommand: CliCommand = {
  define: () =>
    withDeploymentOptions(
      withPropertyOptions(
        new Command('track')
          .description('track one event of a contact, at any deployment')
          .addArgument(new Argument('<event>', 'the name of the event, such as order_placed'))
          .requiredOption('--phone <phone>', "the contact's phone number, such as +15551234567"),
        'event',
      ),
    ),
  examples: `  $ messaging-automation track order_placed --phone +15551234567 --property size=large
  $ messaging-automation track order_placed --phone +15551234567 --properties '{"total":12.5,"gift":true}'`,
  notes: `An event starts the journeys that wait for it, and changes who is in a segment.
The contact must exist: \`contacts upsert\` creates it. --property wins over
--properties of the same name.

An event is tracked at most once. If the response is lost, the command does not try
again, and says that the event may have been tracked. --json then has the outcome
"unknown"; the others are "tracked", "not_sent", and "rejected" by the service.

Exit codes:
  0  the service accepted the event
  1  it did not, or the outcome is unknown: the error says which
  2  the command line is wrong`,
  run: track,
};

async function track(terminal: Terminal, event: string, options: TrackOptions): Promise<void> {
  const { client, report, failureOfCall } = deploymentOf(terminal, options);
  const { phone } = options;
  await client.events.track({ phone, event, properties: propertiesOf(options) }).catch((error: unknown) => {
    throw failureOfCall(error);
  });
  report(`${event} of ${phone} is tracked.`, { outcome: 'tracked' });
}
