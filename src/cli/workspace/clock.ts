import { Argument, Command } from 'commander';
import type { ClockState } from '../../server/subjects/clock.js';
import type { EntryJson } from '../../server/subjects/journal/entry-json.js';
import { type ControlClient, longestCall } from '../running-server/control-client.js';
import { followEvents } from '../running-server/follow-events.js';
import { control } from '../running-server/operations.js';
import { type ControlOptions, controlClientOf, withControlOptions } from '../running-server/options.js';
import { CommandFailure, UsageError } from '../terminal/failures.js';
import type { CliCommand, Terminal } from '../terminal/terminal.js';
import { describeEntry } from './journal-lines.js';

/** How long the work on the way may take, in milliseconds. */
const longestWork = 600_000;

const call = { expected: 'time', timeout: longestWork } as const;

interface Action {
  /** What its value is, if it takes one. */
  readonly value?: string;
  /** Whether it moves the time, and so runs work. */
  readonly isMove: boolean;
  readonly ask: (surface: ControlClient, value: string | number | undefined) => Promise<ClockState>;
}

const actions: Readonly<Record<string, Action>> = {
  advance: {
    value: 'a duration, as in: clock advance 10s',
    isMove: true,
    ask: (surface, by) => surface.ask(control.clock.advance, { body: { by }, ...call }),
  },
  set: {
    value: 'an instant, as in: clock set 2026-02-01T00:00:00Z',
    isMove: true,
    ask: (surface, to) => surface.ask(control.clock.set, { body: { to }, ...call }),
  },
  next: { isMove: true, ask: (surface) => surface.ask(control.clock.advanceToNext, call) },
  'run-to-idle': { isMove: true, ask: (surface) => surface.ask(control.clock.runToIdle, call) },
  freeze: { isMove: false, ask: (surface) => surface.ask(control.clock.freeze, call) },
  flow: { isMove: false, ask: (surface) => surface.ask(control.clock.flow, call) },
};

/** How many lines say what ran. The rest is in the journal. */
const mostLines = 20;

/** `messaging-automation clock`: prints the time of a workspace, advances it, freezes it or lets it flow. */
export const clockCommand: CliCommand = {
  define: () =>
    withControlOptions(new Command('clock').description('print, move or freeze the clock of a workspace'))
      .addArgument(new Argument('[action]', 'what to do with the clock').choices(Object.keys(actions)))
      .argument('[value]', 'the duration to advance it by, or the instant to set it to'),
  examples: `  $ messaging-automation clock
  $ messaging-automation clock advance 10s                  # ms, s, m, h or d
  $ messaging-automation clock set 2026-02-01T00:00:00Z
  $ messaging-automation clock next                         # to the next work that waits
  $ messaging-automation clock run-to-idle                  # until no work waits
  $ messaging-automation clock freeze                       # stop the time where it is
  $ messaging-automation clock flow                         # let it run again`,
  notes: `Without an action it prints the time of the workspace that the key opens.

Advancing the clock runs all work that becomes due on the way, in order: delivery
retries, waits of journeys, simulated latencies. The command ends when that work
is done. It prints what ran, a line each, and the new time. A clock only moves
forward.

A flowing clock runs with the machine's. A frozen one moves only by this command.
--json also prints which of the two it is, when the next work is due, and as "ran"
the entries of the journal.

Exit codes:
  0  it printed the time
  1  the server does not respond, or refuses
  2  the command line is wrong`,
  run: clock,
};

async function clock(
  terminal: Terminal,
  name: string | undefined,
  value: string | undefined,
  options: ControlOptions,
): Promise<void> {
  const action = actions[name ?? ''];
  if (action?.value !== undefined && value === undefined)
    throw new UsageError(`clock ${name} needs ${action.value}.`);
  if (action?.value === undefined && value !== undefined)
    throw new UsageError(`clock ${name} takes no value.`);
  const surface = controlClientOf(terminal, options);
  if (action === undefined) {
    const response = await surface.ask(control.clock.now, { expected: 'time' });
    return surface.report(`${response.time}`, response);
  }
  const before = action.isMove ? await latestEntry(terminal, surface) : undefined;
  const amount = value !== undefined && /^\d+$/.test(value) ? Number(value) : value;
  const response = await action.ask(surface, amount);
  const ran = before === undefined ? [] : await entriesAfter(surface, before);
  if (!options.json) printEntries(terminal, surface, ran);
  surface.report(`${response.time}`, action.isMove ? { ...response, ran } : response);
}

/** The number of the journal's latest entry. */
async function latestEntry(terminal: Terminal, surface: ControlClient): Promise<number> {
  const events = followEvents(surface, {
    signal: AbortSignal.timeout(longestCall),
    terminal,
    open: (signal) => surface.stream(control.journal.follow, { signal }),
    again: () => '',
    giveUpAfter: 0,
  });
  for await (const { data } of events) {
    const { latest }: { readonly latest?: unknown } = Object(data);
    if (typeof latest === 'number') return latest;
  }
  throw new CommandFailure(`${surface.url} did not send the state of its journal. Run the command again.`);
}

/** What happened since, besides the move itself: at most the first page of it. */
async function entriesAfter(surface: ControlClient, number: number): Promise<readonly EntryJson[]> {
  const entries = await surface.list(control.journal.find, { query: { since: number } });
  const all: readonly EntryJson[] = entries.map(Object);
  return all.filter(({ type }) => type !== 'change');
}

function printEntries(terminal: Terminal, surface: ControlClient, entries: readonly EntryJson[]): void {
  for (const entry of entries.slice(0, mostLines))
    terminal.print(describeEntry(terminal, entry, surface.shown));
  const left = entries.length - mostLines;
  if (left > 0) terminal.print(`… and ${left} more, which \`messaging-automation logs\` prints`);
}
