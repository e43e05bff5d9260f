import { Argument, Command } from 'commander';
import { type DeploymentOptions, deploymentOf, withDeploymentOptions } from '../running-server/options.js';
import { type PropertyOptions, propertiesOf, withPropertyOptions } from '../running-server/properties.js';
import type { CliCommand, Terminal } from '../terminal/terminal.js';

type UpsertOptions = DeploymentOptions & PropertyOptions;

/** `messaging-automation contacts upsert`: creates or updates one contact. */
export const contactsUpsertCommand: CliCommand = {
  define: () =>
    withDeploymentOptions(
      withPropertyOptions(
        new Command('upsert')
          .description('create or update one contact')
          .addArgument(new Argument('<phone>', "the contact's phone number, such as +15551234567")),
        'contact',
      ),
    ),
  group: 'contacts',
  examples: `  $ messaging-automation contacts upsert +15551234567 --property firstName=Ada
  $ messaging-automation contacts upsert +15551234567 --properties '{"visits":3,"interests":["chess"]}'`,
  notes: `Works with any deployment. Creates the contact with this phone, or updates the one that
has it. --property wins over --properties of the same name.

Exit codes:
  0  the service has the contact
  1  it does not, or the outcome is unknown: the error says which
  2  the command line is wrong`,
  run: upsert,
};

async function upsert(terminal: Terminal, phone: string, options: UpsertOptions): Promise<void> {
  const { client, report, failureOfCall } = deploymentOf(terminal, options);
  const properties = propertiesOf(options);
  const given = properties && { properties: Object(properties) };
  const { id } = await client.contacts.upsert({ phone, ...given }).catch((error: unknown) => {
    throw failureOfCall(error);
  });
  report(`${phone} is ${id}.`, { id });
}
