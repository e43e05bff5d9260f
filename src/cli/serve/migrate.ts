import { Command } from 'commander';
import { UsageError } from '../terminal/failures.js';
import type { CliCommand, Terminal } from '../terminal/terminal.js';
import { namedStore, placeInWords, prepareStore, type StoreOptions, withStoreOptions } from './store.js';

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
  const store = await prepareStore(named, options, terminal, new AbortController().signal);
  await store?.close();
  terminal.print(
    options.json
      ? JSON.stringify({ ...place, upToDate: true })
      : `The schema ${place.schema} in ${placeInWords(place)} is up to date.`,
  );
  return 0;
}
