import { Command, InvalidArgumentError } from 'commander';
import { control } from '../running-server/operations.js';
import { type ControlOptions, controlClientOf, withControlOptions } from '../running-server/options.js';
import type { CliCommand, Terminal } from '../terminal/terminal.js';

interface QuotaOptions extends ControlOptions {
  readonly addOnCredits?: number;
}

/** `messaging-automation quota`: prints or sets the remaining conversations of a workspace. */
export const quotaCommand: CliCommand = {
  define: () =>
    withControlOptions(
      new Command('quota').description('print or set the remaining conversations of a workspace'),
    )
      .argument('[remaining]', 'how many conversations of the plan are to remain', count)
      .option('--add-on-credits <count>', 'how many add-on credits are to remain', count),
  examples: `  $ messaging-automation quota
  $ messaging-automation quota 0                            # the next send gets 402
  $ messaging-automation quota 1000 --add-on-credits 50`,
  notes: `Without a number it prints what remains in the workspace that the key opens. A
send takes from the plan first, and then from the add-on credits. When both are
spent, it gets 402.

Exit codes:
  0  it printed what remains
  1  the server does not respond, or refuses
  2  the command line is wrong`,
  run: quota,
};

async function quota(
  terminal: Terminal,
  remaining: number | undefined,
  { addOnCredits, ...options }: QuotaOptions,
): Promise<void> {
  const surface = controlClientOf(terminal, options);
  const isChange = remaining !== undefined || addOnCredits !== undefined;
  const response = isChange
    ? await surface.ask(control.quota.set, {
        body: { quota: remaining, addOnCredits },
        expected: 'quota',
      })
    : await surface.ask(control.quota.read, { expected: 'quota' });
  const { quota: left, addOnCredits: credits } = response;
  surface.report(`${left} conversations of the plan and ${credits} add-on credits remain.`, response);
}

function count(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(text);
}
