import { Command } from 'commander';
import { directWay, explainConnection } from '../../foundation/connection-causes.js';
import { databaseUrl } from '../../foundation/database-url.js';
import type { PostgresStore } from '../../postgres/index.js';
import { messageOf, UsageError, usable } from '../terminal/failures.js';
import { type CliCommand, printable, type Terminal } from '../terminal/terminal.js';
import { duration, pause } from '../terminal/time.js';

/** The flags of the commands that use a database. */
export interface StoreOptions {
  readonly store?: string;
  readonly storeSchema?: string;
  /** In milliseconds. */
  readonly waitForStore?: number;
  readonly replica?: string;
  readonly poolSize?: number;
}

/** The location of a store, without its credentials. */
export interface StorePlace {
  readonly host: string;
  readonly database: string;
  /** The schema of the tables. */
  readonly schema: string;
}

/** A store that the command line names. */
interface NamedStore {
  readonly connectionString: string;
  /** The flag or the variable of the environment that names it. */
  readonly namedBy: string;
  readonly place: StorePlace;
}

/** A store that is ready for use, and its location. */
export interface PreparedStore {
  readonly store: PostgresStore;
  readonly place: StorePlace;
}

/** Adds the flags that name a database. */
export function withStoreOptions(command: Command): Command {
  return command
    .option(
      '--store <url>',
      'PostgreSQL database, such as postgres://user:password@host/database (default: $MESSAGING_AUTOMATION_STORE)',
    )
    .option('--store-schema <name>', 'schema of the tables in it (default: messaging_automation)')
    .option(
      '--wait-for-store <duration>',
      'how long to wait for the database at the start (default: 30s)',
      duration,
    );
}

/** The store that the flags or the environment name. */
export function namedStore(
  { env }: Terminal,
  { store, storeSchema: schema = 'messaging_automation' }: StoreOptions,
): NamedStore | undefined {
  const connectionString = store ?? (env.MESSAGING_AUTOMATION_STORE || undefined);
  if (connectionString === undefined) return undefined;
  const namedBy = store === undefined ? '$MESSAGING_AUTOMATION_STORE' : '--store';
  // The URL has a password, so no message shows it.
  const url = databaseUrl(connectionString);
  if (url === undefined) {
    throw new UsageError(
      `${namedBy} must be the URL of a PostgreSQL database, such as postgres://user:password@host/database. Characters such as @, / and # in a password must be percent-encoded.`,
    );
  }
  const { host, database } = url;
  const place = { host, database, schema };
  return { connectionString, namedBy, place };
}

/** The location for a message. */
export function placeInWords({ host, database }: StorePlace): string {
  return `the database ${database} at ${host}`;
}

/** How long to wait after a failed attempt, in milliseconds. */
const lookAgainAfter = 500;

/**
 * Opens the store that the command line names, and updates its schema. Waits for a database that starts at the same time.
 * Resolves to `undefined` if `stop` aborted the wait.
 *
 * @throws UsageError if the database cannot be used, or does not respond.
 */
export async function prepareStore(
  named: NamedStore,
  { replica, poolSize, waitForStore = 30_000 }: StoreOptions,
  terminal: Terminal,
  stop: AbortSignal,
): Promise<PreparedStore | undefined> {
  // Imported on use, because it needs packages that are not installed otherwise.
  const { postgresStore } = await import('../../postgres/index.js');
  const { connectionString, place } = named;
  const { clock } = terminal;
  const store = usable(() => postgresStore({ connectionString, schema: place.schema, replica, poolSize }));
  const where = placeInWords(place);
  const seconds = waitForStore / 1_000;
  const end = clock.now() + waitForStore;
  let isReported = false;
  while (!stop.aborted) {
    try {
      await store.migrate();
      return { store, place };
    } catch (error) {
      if (!isOutOfReach(error)) throw new UsageError(printable(`Cannot use ${where}: ${messageOf(error)}`));
      const { reason, helpsWaiting } = explainSilence(terminal, named, error);
      if (!helpsWaiting) throw new UsageError(`Cannot use ${where}. ${reason}`);
      if (clock.now() >= end)
        throw new UsageError(`No response from ${where} within ${seconds} s. ${reason}`);
      if (!isReported) terminal.complain(`Waiting for ${where}, for ${seconds} s at most. ${reason}\n`);
      isReported = true;
      await pause(clock, Math.min(lookAgainAfter, Math.max(0, end - clock.now())), stop);
    }
  }
  return undefined;
}

/** Why a database does not respond, what to do, and whether to wait for it helps. */
function explainSilence(
  terminal: Terminal,
  { connectionString, namedBy }: NamedStore,
  error: unknown,
): { readonly reason: string; readonly helpsWaiting: boolean } {
  const start = `Start it, or correct ${namedBy}.`;
  const { inFull, kind } = explainConnection(error, directWay(connectionString, terminal, start));
  const reason = printable(inFull ?? messageOf(error));
  return { reason, helpsWaiting: kind !== 'refused' };
}

/** Whether the error, or what caused it, is that the database does not respond. */
function isOutOfReach(error: unknown): boolean {
  const { name, cause }: { readonly name?: unknown; readonly cause?: unknown } = Object(error);
  return name === 'StoreUnavailableError' || (cause !== undefined && isOutOfReach(cause));
}

interface MigrateOptions extends StoreOptions {
  readonly json: boolean;
}

/** `messaging-automation migrate`: brings the schema of a shared store up to date. */
export const migrateCommand: CliCommand = {
  define: () =>
    withStoreOptions(
      new Command('migrate').description(
        'create or update the tables of serve --store in a PostgreSQL database',
      ),
    ).option('--json', 'print the result as JSON', false),
  examples: `  $ messaging-automation migrate --store postgres://owner:password@host/database
  $ MESSAGING_AUTOMATION_STORE=postgres://owner:password@host/database messaging-automation migrate
  $ messaging-automation migrate --store postgres://owner:password@host/database --store-schema staging`,
  notes: `\`serve --store\` does the same when it starts. This command is for deployments in
which the servers connect as a role that may not create tables: run it first, as a
role that may. If several run at once, one migrates and the others wait.

It needs the packages pg and graphile-worker. It refuses a schema that a newer
version of the package made.

A URL on a command line shows in the list of processes. $MESSAGING_AUTOMATION_STORE
does not.

Exit codes:
  0  the schema is up to date
  2  the command line is wrong, or the database cannot be used`,
  run: migrate,
};

async function migrate(terminal: Terminal, options: MigrateOptions): Promise<number> {
  const named = namedStore(terminal, options);
  if (named === undefined)
    throw new UsageError('The database is missing. Pass --store or set $MESSAGING_AUTOMATION_STORE.');
  const { place } = named;
  const shared = await prepareStore(named, options, terminal, new AbortController().signal);
  await shared?.store.close();
  terminal.print(
    options.json
      ? JSON.stringify({ ...place, upToDate: true })
      : `The schema ${place.schema} in ${placeInWords(place)} is up to date.`,
  );
  return 0;
}
