import { Command, CommanderError } from 'commander';
import { packageVersion } from '../foundation/version.js';
import { InvalidInputError, RequestError } from '../index.js';
import { conformanceCommand } from './conformance/conformance.js';
import { contactsCommand } from './contacts/contacts-import.js';
import { doctorCommand } from './deployment/doctor.js';
import { sendCommand } from './deployment/send.js';
import { webhooksCommand } from './deployment/webhooks.js';
import { diagnoseCommand } from './receiver/diagnose.js';
import { listenCommand } from './receiver/listen.js';
import { triggerCommand } from './receiver/trigger.js';
import { serveCommand } from './serve/serve.js';
import { migrateCommand } from './serve/store.js';
import { templatesCommand } from './templates/templates.js';
import { CommandFailure, UsageError } from './terminal/failures.js';
import { type CliCommand, printable, type Terminal } from './terminal/terminal.js';
import { settleCommand } from './unsettled/settle.js';
import { unsettledCommand } from './unsettled/unsettled.js';
import { clockCommand } from './workspace/clock.js';
import { explainCommand, redeliverCommand } from './workspace/deliveries.js';
import { logsCommand } from './workspace/logs.js';
import { mcpCommand } from './workspace/mcp.js';

const commands: readonly CliCommand[] = [
  serveCommand,
  migrateCommand,
  logsCommand,
  listenCommand,
  clockCommand,
  redeliverCommand,
  explainCommand,
  triggerCommand,
  diagnoseCommand,
  doctorCommand,
  sendCommand,
  webhooksCommand,
  templatesCommand,
  contactsCommand,
  unsettledCommand,
  settleCommand,
  conformanceCommand,
  mcpCommand,
];

/**
 * Runs a command line.
 *
 * @param words What follows the program's name.
 * @returns The exit code: 0 for success, 1 for a failure, 2 for an invalid command line. The help of a command names others.
 */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('messaging-automation')
    .description('The Messaging Automation Service, for your terminal.')
    .version(packageVersion, '-v, --version');
  let exitCode = 0;
  for (const { define, examples, notes, run: work } of commands) {
    const command = define()
      .addHelpText('before', `Examples:\n${examples}\n`)
      .addHelpText('after', `\n${notes}`)
      .action(async (...given: readonly unknown[]) => {
        exitCode = (await work(terminal, ...given)) ?? 0;
      });
    program.addCommand(command.parent ?? command);
  }
  for (const command of withThoseOf(program)) {
    command
      .exitOverride()
      .showHelpAfterError('(--help lists the commands and options)')
      .configureOutput({
        writeOut: (text) => terminal.print(...text.replace(/\n$/, '').split('\n')),
        writeErr: (text) => terminal.complain(text),
      });
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    // The input that a client refuses came from the command line.
    const isUsage = error instanceof UsageError || error instanceof InvalidInputError;
    if (!(isUsage || error instanceof CommandFailure || error instanceof RequestError)) throw error;
    const message = error instanceof RequestError ? printable(error.message) : error.message;
    terminal.complain(`error: ${message}\n`);
    return isUsage ? 2 : 1;
  }
}

/** A command and all its subcommands. */
function withThoseOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withThoseOf)];
}
