import { Command, CommanderError } from 'commander';
import { packageVersion } from '../foundation/version.js';
import { conformanceCommand } from './conformance/conformance.js';
import { contactsCommand } from './contacts/contacts-import.js';
import { contactsUpsertCommand } from './contacts/contacts-upsert.js';
import { doctorCommand } from './deployment/doctor.js';
import { sendCommand } from './deployment/send.js';
import { trackCommand } from './deployment/track.js';
import { webhooksCommand } from './deployment/webhooks.js';
import { diagnoseCommand } from './receiver/diagnose.js';
import { listenCommand } from './receiver/listen.js';
import { triggerCommand } from './receiver/trigger.js';
import { urlOf } from './running-server/options.js';
import { serveCommand } from './serve/serve.js';
import { migrateCommand } from './serve/store.js';
import { templatesCommand } from './templates/templates.js';
import { failureReport } from './terminal/failure-report.js';
import type { CliCommand, Terminal } from './terminal/terminal.js';
import { wayTo } from './terminal/way.js';
import { settleCommand } from './unsettled/settle.js';
import { unsettledCommand } from './unsettled/unsettled.js';
import { clockCommand } from './workspace/clock.js';
import { explainCommand, redeliverCommand } from './workspace/deliveries.js';
import { faultCommand } from './workspace/fault.js';
import { logsCommand } from './workspace/logs.js';
import { mcpCommand } from './workspace/mcp.js';
import { quotaCommand } from './workspace/quota.js';
import { templateCommand } from './workspace/template.js';

/** All commands. */
export const commands: readonly CliCommand[] = [
  serveCommand,
  migrateCommand,
  logsCommand,
  listenCommand,
  clockCommand,
  quotaCommand,
  templateCommand,
  faultCommand,
  redeliverCommand,
  explainCommand,
  triggerCommand,
  diagnoseCommand,
  doctorCommand,
  sendCommand,
  trackCommand,
  webhooksCommand,
  templatesCommand,
  contactsCommand,
  contactsUpsertCommand,
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
  let url = urlOf(terminal, {});
  for (const { define, group, examples, notes, run: work } of commands) {
    const command = define()
      .addHelpText('before', `Examples:\n${examples}\n`)
      .addHelpText('after', `\n${notes}`)
      .action(async (...given: readonly unknown[]) => {
        url = urlOf(terminal, Object(given.at(-2)));
        exitCode = (await work(terminal, ...given)) ?? 0;
      });
    const owner = program.commands.find((each) => each.name() === group) ?? program;
    owner.addCommand(command.parent ?? command);
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
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const failure = failureReport(error, wayTo(url, terminal));
    if (failure === undefined) throw error;
    if (!(error instanceof CommanderError)) terminal.complain(`error: ${failure.error}\n`);
    if (wantsJson(words)) terminal.print(JSON.stringify(failure));
    return failure.exitCode;
  }
}

/** Whether the words ask for JSON, even those of a command line that cannot be parsed. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end === -1 ? words.length : end).includes('--json');
}

/** A command and all its subcommands. */
function withThoseOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withThoseOf)];
}
