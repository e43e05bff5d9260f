import type { Command } from 'commander';
import { UsageError } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import { duration } from '../terminal/time.js';

/** The flags of the commands that use a database. */
export interface StoreOptions {
  readonly store?: string;
  readonly storeSchema?: string;
  /** In milliseconds. */
  readonly waitForStore?: number;
}

/** The location of a store, without its credentials. */
export interface StorePlace {
  readonly host: string;
  readonly database: string;
  readonly schema: string;
}

/** A store that the command line names. */
export interface NamedStore {
  readonly connectionString: string;
  readonly place: StorePlace;
  /** The flag or the variable that names it. */
  readonly namedBy: '--store' | '$MESSAGING_AUTOMATION_STORE';
}

/** Default of `--wait-for-store`, in milliseconds. */
export const defaultWaitForStore = 30_000;

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
export function namedStore(terminal: Terminal, options: StoreOptions): NamedStore | undefined {
  const connectionString = options.store ?? (terminal.env.MESSAGING_AUTOMATION_STORE || undefined);
  if (connectionString === undefined) return undefined;
  const namedBy = options.store === undefined ? '$MESSAGING_AUTOMATION_STORE' : '--store';
  // The URL has a password, so no message shows it.
  if (!/^postgres(ql)?:\/\//.test(connectionString) || !URL.canParse(connectionString)) {
    throw new UsageError(
      `${namedBy} must be the URL of a PostgreSQL database, such as postgres://user:password@host/database. Characters such as @, / and # in a password must be percent-encoded.`,
    );
  }
  const { host, pathname, searchParams, username } = new URL(connectionString);
  const schema = options.storeSchema ?? 'messaging_automation';
  return {
    connectionString,
    namedBy,
    place: {
      host: host || searchParams.get('host') || 'localhost',
      database: decodeURIComponent(pathname.slice(1) || username || 'postgres'),
      schema,
    },
  };
}

/** The location for a message. */
export function placeInWords({ host, database }: StorePlace): string {
  return `the database ${database} at ${host}`;
}
