import { Command } from 'commander';
import {
  type DeploymentOptions,
  deploymentOf,
  variable,
  withDeploymentOptions,
} from '../running-server/options.js';
import type { CliCommand, Terminal } from '../terminal/terminal.js';

interface SendOptions extends DeploymentOptions {
  readonly phone: string;
  readonly template: string;
  readonly var?: Readonly<Record<string, string>>;
}

/** `messaging-automation send`: sends one template message. */
export const sendCommand: CliCommand = {
  define: () =>
    withDeploymentOptions(
      new Command('send')
        .description('send one template message to a contact, at any deployment')
        .requiredOption('--to, --phone <phone>', "the contact's phone number, such as +15551234567")
        .requiredOption('--template <id>', 'the approved template')
        .option('--var <n=value>', 'value for a placeholder; repeatable', variable),
    ),
  examples: `  $ messaging-automation send --to +15551234567 --template order_update --var 1=Ada`,
  notes: `Each message counts against the quota. The contact must exist:
\`contacts upsert\` creates it.

A message is sent at most once. If the response is lost, the command does not try again,
and says that the message may have been sent. --json then has the outcome "unknown";
the others are "sent", "not_sent", and "rejected" by the service.

Exit codes:
  0  the service accepted the message
  1  it did not, or the outcome is unknown: the error says which
  2  the command line is wrong`,
  run: send,
};

async function send(terminal: Terminal, options: SendOptions): Promise<void> {
  const { client, report, failureOfCall } = deploymentOf(terminal, options);
  const { phone, template: templateId, var: variables } = options;
  await client.transactional.send({ phone, templateId, variables }).catch((error: unknown) => {
    throw failureOfCall(error);
  });
  report(`${templateId} is sent to ${phone}.`, { outcome: 'sent' });
}
