import { Command, Option } from 'commander';
import { journalEntryTypes } from '../../server/index.js';
import type { EntryJson } from '../../server/subjects/journal/entry-json.js';
import { followEvents } from '../running-server/follow-events.js';
import { control } from '../running-server/operations.js';
import { type ControlOptions, controlClientOf, withControlOptions } from '../running-server/options.js';
import { type CliCommand, stopSignal, type Terminal } from '../terminal/terminal.js';
import { describeEntry } from './journal-lines.js';

interface LogsOptions extends ControlOptions {
  readonly follow: boolean;
  readonly type?: EntryJson['type'];
}

/** `messaging-automation logs`: prints what happened at a running server. */
export const logsCommand: CliCommand = {
  define: () =>
    withControlOptions(
      new Command('logs').description('print the journal of a running server, and follow it'),
    )
      .option('-f, --follow', 'also print new entries, until Ctrl-C', false)
      .addOption(new Option('--type <type>', 'only entries of this type').choices(journalEntryTypes)),
  examples: `  $ messaging-automation logs
  $ messaging-automation logs --follow
  $ messaging-automation logs --follow --type attempt
  $ messaging-automation logs --type request --json | jq 'select(.status >= 400)'`,
  notes: `Prints the journal of the workspace that the key opens, oldest entry first:
requests and why they were refused, messages sent, deliveries, and when the next
attempt is due. Times are the workspace's. Keys, secrets and phone numbers are
masked, also in JSON.

--follow also prints new entries as they happen, until Ctrl-C. When it loses the
connection, it reconnects and prints what it missed, each entry once.

Exit codes:
  0  it printed the entries, or Ctrl-C ended it
  1  the server does not respond, or refuses
  2  the command line is wrong`,
  run: logs,
};

async function logs(terminal: Terminal, options: LogsOptions): Promise<void> {
  const { follow, type } = options;
  const surface = controlClientOf(terminal, options);
  const print = (entry: EntryJson) =>
    terminal.print(options.json ? surface.json(entry) : describeEntry(terminal, entry, surface.shown));
  const forgotten = (count: number) =>
    terminal.complain(`The journal no longer has ${count} older ${count === 1 ? 'entry' : 'entries'}.\n`);
  if (!follow) {
    let isFirst = true;
    for await (const page of surface.pages(control.journal.find, { type })) {
      if (isFirst && page.forgotten > 0) forgotten(page.forgotten);
      isFirst = false;
      for (const entry of page.data) print(Object(entry));
    }
    return;
  }
  const events = followEvents(surface, {
    signal: stopSignal(terminal),
    terminal,
    open: (signal, lastEventId) =>
      surface.stream(control.journal.follow, { query: { since: 0 }, signal, lastEventId }),
    again: (start) =>
      Object(start).resumed === true
        ? 'Reconnected.\n'
        : 'Reconnected to a server that was restarted. Its journal begins with entry 1.\n',
  });
  for await (const { name, data } of events) {
    const entry: EntryJson = Object(data);
    if (name === 'entry' && (type === undefined || entry.type === type)) print(entry);
    if (name === 'missed') forgotten(Object(data).count);
    if (name === 'cleared') terminal.complain('The workspace was reset. Its journal is empty.\n');
  }
}
