import { Command } from 'commander';
import { type UnsettledKey, unsettledKeys } from '../../client/idempotency/unsettled.js';
import { UsageError } from '../terminal/failures.js';
import { type CliCommand, printable, shownArgument, styled, type Terminal } from '../terminal/terminal.js';
import { wholeNumber } from '../terminal/time.js';
import { isSecret, type KeyStoreOptions, sameStore, withKeyStore, withKeyStoreOptions } from './key-store.js';

interface UnsettledOptions extends KeyStoreOptions {
  readonly limit: number;
}

/** `messaging-automation unsettled`: lists the idempotency keys whose outcome is unknown. */
export const unsettledCommand: CliCommand = {
  define: () =>
    withKeyStoreOptions(
      new Command('unsettled')
        .description('list the idempotency keys whose outcome is unknown, from the store of your client')
        .option('--limit <count>', 'the most keys to print', wholeNumber, 100),
    ),
  examples: `  $ messaging-automation unsettled --store redis://127.0.0.1:6379
  $ MESSAGING_AUTOMATION_KEY_STORE=postgres://user:password@host/orders messaging-automation unsettled
  $ messaging-automation unsettled --json | jq -r .idempotencyKey`,
  notes: `The outcome of a key is unknown if its process died, or a response was lost, when the
service may have accepted the message or the event. Calls with the key fail until you
settle it: look for the message in the chat, or the event in your data, and run
\`settle\`. A key of a process that dies is listed 30 seconds later.

It reads only the store, and changes nothing. It needs the package redis or ioredis, or pg.
It does not read a Redis Cluster: settle its keys by name in your program. It prints keys
in full and contacts masked. Times are by the clock of the process that used the key.

A URL on a command line shows in the list of processes. $MESSAGING_AUTOMATION_KEY_STORE
does not.

Exit codes:
  0  the keys are listed, or none is unknown
  2  the command line is wrong, or the store cannot be used`,
  run: unsettled,
};

async function unsettled(terminal: Terminal, options: UnsettledOptions): Promise<void> {
  const { limit, json } = options;
  if (limit === 0) throw new UsageError('--limit must be 1 or more.');
  const { found, place } = await withKeyStore(terminal, options, async (store, name) => ({
    found: await unsettledKeys(store, { limit }),
    place: name,
  }));
  if (json) {
    for (const key of found)
      terminal.print(JSON.stringify({ ...key, since: timeOf(key.since ?? Number.NaN) }));
    return;
  }
  if (found.length === 0)
    return terminal.print(
      `No key is unsettled in ${place}. The key of a process that has just died is listed after 30 seconds.`,
    );
  terminal.print(...tableOf(found, terminal));
  if (found.length === limit) terminal.print(`There may be more: pass --limit ${limit * 10}.`);
  if (found.some(({ idempotencyKey }) => idempotencyKey === undefined))
    terminal.print(
      'A process of version 0.2.0 recorded only the digest of its key: settle it by the key that your program uses.',
    );
  const oldest = found.find(({ idempotencyKey }) => idempotencyKey !== undefined);
  if (oldest === undefined) return;
  const first = isSecret(options.store)
    ? 'Set $MESSAGING_AUTOMATION_KEY_STORE to the URL of the store. '
    : '';
  terminal.print(
    '',
    `${first}Find out what became of each, and settle it. If ${aboutOf(oldest)} was sent:`,
    `  ${settling(oldest, options)}`,
  );
}

/** Columns that are as wide as their widest text. */
function tableOf(keys: readonly UnsettledKey[], terminal: Terminal): readonly string[] {
  const now = terminal.clock.now();
  const rows = [
    ['KEY', 'WHAT', 'CONTACT', 'SINCE'],
    ...keys.map((key) => [
      printable(key.idempotencyKey ?? '(not kept)'),
      aboutOf(key),
      printable(key.contact ?? '-'),
      key.since === undefined ? '-' : `${dateOf(key.since)}, ${age(now - key.since)}`,
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line, place) => (place === 0 ? styled(terminal, 'dim', line) : line));
}

function aboutOf({ operation, about = '' }: UnsettledKey): string {
  return printable(`${operation === 'events.track' ? 'event' : 'template'} ${about}`.trimEnd());
}

/** The command that settles a key as sent. */
function settling({ idempotencyKey = '', operation }: UnsettledKey, options: KeyStoreOptions): string {
  const flags = [...sameStore(options), ...(operation === 'events.track' ? ['--event'] : [])];
  return ['messaging-automation settle', ...flags, shownArgument(idempotencyKey), 'sent'].join(' ');
}

function timeOf(since: number): string | undefined {
  const time = new Date(since);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function dateOf(since: number): string {
  const time = timeOf(since);
  return time === undefined ? 'unknown' : `${time.slice(0, 19).replace('T', ' ')}Z`;
}

const lengths = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** How long ago something was, in its largest unit. Clocks may differ. */
function age(milliseconds: number): string {
  const [unit, length] = lengths.find(([, long]) => milliseconds >= long) ?? [];
  return unit === undefined ? 'just now' : `${Math.floor(milliseconds / length)} ${unit} ago`;
}
