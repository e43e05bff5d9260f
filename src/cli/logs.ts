import { Command, Option } from 'commander';
import { journalEntryTypes } from '../server/index.js';
import { type ControlOptions, controlSurfaceOf, withControlOptions } from './control-options.js';
import type { ControlSurface } from './control-surface.js';
import { followJournal } from './follow-journal.js';
import { describeToldEntry } from './journal-lines.js';
import type { Terminal } from './terminal.js';
import type { ToldEntry } from './told-entry.js';

interface LogsOptions extends ControlOptions {
  readonly follow: boolean;
  readonly type?: ToldEntry['type'];
  readonly json: boolean;
}

const examples = `
It prints the journal of the workspace that the key opens, the oldest entry first: what was asked and why it was refused, who
was sent what, what was delivered, and when the next attempt comes. Times are the workspace's. It masks keys, secrets and
phone numbers, also in JSON.

With --follow it goes on as things happen, until Ctrl-C. Where the connection is lost it connects again, and goes on where
it was: nothing is lost, and nothing comes twice.

Examples:
  $ messaging-automation logs
  $ messaging-automation logs --follow
  $ messaging-automation logs --follow --type attempt
  $ messaging-automation logs --type request --json | jq 'select(.status >= 400)'

Exit codes: 0 where it printed what there is, or was told to stop, 1 where the server is not there or refuses, 2 for a command
that makes no sense.
`;

/** `messaging-automation logs`: prints what happened at a server that runs. */
export function logsCommand(terminal: Terminal, exitWith: (code: number) => void): Command {
  return withControlOptions(
    new Command('logs').description('print what happened at a running server, and go on as it happens'),
  )
    .option('-f, --follow', 'go on as things happen, until Ctrl-C', false)
    .addOption(new Option('--type <type>', 'only entries of this type').choices(journalEntryTypes))
    .option('--json', 'print JSON, one object a line', false)
    .addHelpText('after', examples)
    .action(async (options: LogsOptions) => exitWith(await logs(terminal, options)));
}

async function logs(terminal: Terminal, options: LogsOptions): Promise<number> {
  const surface = controlSurfaceOf(terminal, options);
  const print = (entry: ToldEntry) =>
    terminal.print(options.json ? surface.json(entry) : describeToldEntry(terminal, entry, surface.shown));
  await (options.follow
    ? follow(terminal, surface, options, print)
    : printAll(terminal, surface, options, print));
  return 0;
}

async function follow(
  terminal: Terminal,
  surface: ControlSurface,
  { type }: LogsOptions,
  print: (entry: ToldEntry) => void,
): Promise<void> {
  const stopping = new AbortController();
  void terminal.stopRequested().then(() => stopping.abort());
  const { signal } = stopping;
  const { clock } = terminal;
  const complain = (text: string) => terminal.complain(text);
  for await (const followed of followJournal(surface, { signal, clock, complain })) {
    if (followed.kind === 'missed') sayForgotten(terminal, followed.count);
    else if (followed.kind === 'cleared')
      terminal.complain('The workspace was reset. Its journal is empty.\n');
    else if (type === undefined || followed.entry.type === type) print(followed.entry);
  }
}

/** One page of the journal. */
interface JournalPage {
  readonly data: readonly ToldEntry[];
  readonly more: boolean;
  readonly cursor: string;
  readonly forgotten: number;
}

async function printAll(
  terminal: Terminal,
  surface: ControlSurface,
  { type }: LogsOptions,
  print: (entry: ToldEntry) => void,
): Promise<void> {
  let cursor: string | undefined;
  for (;;) {
    const query = new URLSearchParams({ ...(type && { type }), ...(cursor && { cursor }) });
    const page = pageIn(surface, await surface.ask('GET', `/control/journal?${query}`));
    if (cursor === undefined && page.forgotten > 0) sayForgotten(terminal, page.forgotten);
    page.data.forEach(print);
    if (!page.more) return;
    cursor = page.cursor;
  }
}

function pageIn(surface: ControlSurface, answer: unknown): JournalPage {
  const page: JournalPage = Object(answer);
  if (!Array.isArray(page.data)) throw surface.missing();
  return page;
}

function sayForgotten(terminal: Terminal, count: number): void {
  terminal.complain(
    `${count} older ${count === 1 ? 'entry is' : 'entries are'} not in the journal any more.\n`,
  );
}
