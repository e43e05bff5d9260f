import { Argument, Command, InvalidArgumentError } from 'commander';
import {
  assignment,
  type DeploymentOptions,
  deploymentOf,
  withDeploymentOptions,
} from '../running-server/options.js';
import type { CliCommand, Terminal } from '../terminal/terminal.js';

interface TrackOptions extends DeploymentOptions {
  readonly phone: string;
  readonly property?: Readonly<Record<string, string>>;
  readonly properties?: Readonly<Record<string, unknown>>;
}

const property = assignment(/^([^=]+)=(.*)$/s, 'size=large');

/** `messaging-automation track`: tracks one event. */
export const trackCommand: CliCommand = {
  define: () =>
    withDeploymentOptions(
      new Command('track')
        .description('track one event of a contact, at any deployment')
        .addArgument(new Argument('<event>', 'the name of the event, such as order_placed'))
        .requiredOption('--phone <phone>', "the contact's phone number, such as +15551234567")
        .option('--property <name=text>', 'a property of the event; repeatable', property)
        .option('--properties <json>', 'properties that are not text, as a JSON object', jsonObject),
    ),
  examples: `  $ messaging-automation track order_placed --phone +15551234567 --property size=large
  $ messaging-automation track order_placed --phone +15551234567 --properties '{"total":12.5,"gift":true}'`,
  notes: `An event starts the journeys that wait for it, and changes who is in a segment.
The contact must exist. --property wins over --properties of the same name.

An event is tracked at most once. If the response is lost, the command does not try
again, and says that the event may have been tracked. --json then has the outcome
"unknown"; the others are "tracked", "not_sent", and "rejected" by the service.

Exit codes:
  0  the service accepted the event
  1  it did not, or nobody knows: the error says which
  2  the command line is wrong`,
  run: track,
};

async function track(terminal: Terminal, event: string, options: TrackOptions): Promise<void> {
  const { client, report, failureOfCall } = deploymentOf(terminal, options);
  const { phone } = options;
  const given = { ...options.properties, ...options.property };
  const properties = Object.keys(given).length === 0 ? undefined : given;
  await client.events.track({ phone, event, properties }).catch((error: unknown) => {
    throw failureOfCall(error);
  });
  report(`${event} of ${phone} is tracked.`, { outcome: 'tracked' });
}

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('Write it as a JSON object, such as \'{"total":12.5}\'.');
  return { ...value };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
