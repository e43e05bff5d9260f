import { createHash } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { fileCheckpoint } from '../../bulk/index.js';
import { realPathOf } from '../../files/real-path.js';
import { type CheckpointStore, MessagingAutomation, type UpsertContactInput } from '../../index.js';
import {
  assignment,
  type DeploymentOptions,
  deploymentOf,
  withDeploymentOptions,
} from '../running-server/options.js';
import { CommandFailure, messageOf, UsageError, usable } from '../terminal/failures.js';
import { type CliCommand, statusLine, stopSignal, type Terminal } from '../terminal/terminal.js';
import { wholeNumber } from '../terminal/time.js';
import { type ColumnMap, type CsvRow, contactIn, openTable } from './contacts-table.js';
import { importProgress, importReport, rejectsFile } from './import-report.js';

interface ImportOptions extends DeploymentOptions {
  readonly map?: ColumnMap;
  readonly delimiter: string;
  readonly dryRun: boolean;
  readonly concurrency?: number;
  readonly rejects?: string;
  readonly checkpoint?: string;
}

/** `messaging-automation contacts import`: upserts the contacts in a CSV file. */
export const contactsCommand: CliCommand = {
  define: () =>
    withDeploymentOptions(
      new Command('contacts')
        .description('import contacts from a file')
        .command('import')
        .argument('<file>', 'the CSV file')
        .description('upsert the contacts in a CSV file')
        .option(
          '--map <column=property>',
          'property of a column; COLUMN=phone for the phone, COLUMN= leaves it out; repeatable',
          assignment(/^\s*(.+?)\s*=\s*([^=]*?)\s*$/s, 'COLUMN=PROPERTY'),
        )
        .option('--delimiter <character>', 'character between two cells', character, ',')
        .option('--dry-run', 'check every row as the client does, send nothing and write no file', false)
        .option('--rejects <file>', 'file for rejected rows (default: FILE.rejects.csv)')
        .option('--checkpoint <file>', 'file for the progress (default: FILE.checkpoint.json)')
        .option('--concurrency <number>', 'requests at once (default: 8)', wholeNumber),
    ),
  examples: `  $ messaging-automation contacts import contacts.csv --dry-run
  $ messaging-automation contacts import contacts.csv
  $ messaging-automation contacts import people.csv --map Mobile=phone --map 'First name=firstName' --map Notes=
  $ messaging-automation contacts import contacts.csv --url https://messaging.example.com --json`,
  notes: `The file is CSV in UTF-8. Its first row names the columns. The column phone holds
the phone numbers, such as +15551234567. Every other column is a property of that
name, and its values are texts. Empty cells are left out. A contact that exists
is updated.

Rejected rows go to FILE.rejects.csv with their row numbers and the reasons.
Correct them there, and import that file, without --map and --delimiter.

Ctrl-C stops the import. Run the same command again to continue: it skips imported
rows and tries rejected ones again. The progress is in FILE.checkpoint.json,
which the command removes when all rows are imported.

Exit codes:
  0  all rows are imported
  1  some rows were rejected or not tried, or the import stopped
  2  the command line or the file is wrong`,
  run: importContacts,
};

async function importContacts(terminal: Terminal, file: string, options: ImportOptions): Promise<number> {
  const signal = stopSignal(terminal);
  const paths = await pathsBeside(file, options);
  const { delimiter, dryRun } = options;
  const { client, baseUrl } = dryRun ? rehearsal() : deploymentOf(terminal, options, { validation: 'warn' });
  const table = await openTable(file, delimiter, options.map ?? {});
  const { wellFormed: total, properties } = table;
  const rejects = rejectsFile(paths.rejects, table);
  /** The row of each contact. */
  const rows = new WeakMap<object, CsvRow>();
  async function* contacts(): AsyncGenerator<UpsertContactInput> {
    for await (const row of table.read()) {
      const { length } = row.cells;
      if (length === properties.length) {
        const contact = contactIn(row, table);
        rows.set(contact, row);
        yield contact;
      } else {
        await rejects.add(row, `The row has ${length} cells, and there are ${properties.length} columns.`);
      }
    }
  }
  const line = statusLine(terminal);
  const parts = JSON.stringify([table.digest, delimiter, properties, baseUrl]);
  const source = createHash('sha256').update(parts).digest('hex');
  const run = usable(() =>
    client.contacts.upsertEach(contacts(), {
      concurrency: options.concurrency,
      signal,
      total,
      onProgress: importProgress(terminal, line, total),
      ...(dryRun
        ? { maxConsecutiveFailures: Number.POSITIVE_INFINITY }
        : {
            checkpoint: importCheckpoint(terminal, paths.checkpoint, source, () => rejects.begin()),
            retryRejected: true,
          }),
    }),
  );
  try {
    for await (const outcome of run) {
      const row = rows.get(outcome.input);
      if (outcome.status !== 'done' && row !== undefined) await rejects.add(row, messageOf(outcome.error));
    }
    const summary = await run.summary();
    const { done } = summary.overall;
    const isComplete = summary.stoppedBecause === undefined && done === total;
    line.clear();
    // If no row was imported, there is nothing to continue from: a corrected file starts over.
    if (!dryRun && (isComplete || done === 0)) await rm(paths.checkpoint, { force: true });
    return importReport(terminal, { ...options, file, paths, table, summary, rejects });
  } catch (error) {
    line.clear();
    throw error instanceof CommandFailure ? error : new UsageError(messageOf(error));
  } finally {
    await rejects.close();
  }
}

/** The files that an import writes. */
async function pathsBeside(file: string, { rejects, checkpoint }: ImportOptions) {
  const name = file.replace(/\.csv$/i, '');
  const paths = {
    rejects: rejects ?? `${name}.rejects.csv`,
    checkpoint: checkpoint ?? `${name}.checkpoint.json`,
  };
  const all = await Promise.all([file, paths.rejects, paths.checkpoint].map(identityOf));
  if (new Set(all).size < all.length) {
    throw new UsageError('The file, --rejects and --checkpoint must be three different files.');
  }
  return paths;
}

/** The same for all names of a file, by symbolic and by hard links. */
async function identityOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined) return `${found.dev}:${found.ino}`;
  return realPathOf(path).catch(() => resolve(path));
}

function character(text: string): string {
  if (!/^[^"\r\n]$/.test(text)) throw new InvalidArgumentError('It must be one character.');
  return text;
}

/** A deployment for `--dry-run`: the client checks its input, and nothing is sent. */
function rehearsal() {
  const baseUrl = 'http://127.0.0.1/api';
  const headers = () => new Headers({ 'Content-Type': 'application/json' });
  const response = { status: 201, body: '{"id":"dry_run","properties":{}}' };
  const transport = { exchange: async () => ({ ...response, headers: headers() }) };
  return { baseUrl, client: new MessagingAutomation({ apiKey: 'dry_run', baseUrl, transport }) };
}

/** How long to wait for the lock of the checkpoint before the command reports it. In milliseconds. */
const untilReported = 500;

/**
 * The checkpoint of an import in a file. It counts rows, so it is valid only for one table, one mapping of its columns and one
 * deployment.
 *
 * @param source - A digest of these three.
 * @param onLoaded - Called when no other run uses the file and its content matches.
 */
function importCheckpoint(
  terminal: Terminal,
  path: string,
  source: string,
  onLoaded: () => Promise<void>,
): CheckpointStore {
  const file = fileCheckpoint(path);
  return {
    ...file,
    open: async () => {
      const text = 'Waiting up to 14 s for the lock of an earlier run …\n';
      const cancelLine = terminal.clock.setTimer(() => terminal.complain(text), untilReported);
      await file.open().finally(cancelLine);
    },
    load: async () => {
      const stored = await file.load();
      const whole: unknown = Array.isArray(stored) ? stored[0] : stored; // followed by the changes after it
      const { source: before }: { readonly source?: unknown } = Object(whole);
      if (stored !== undefined && before !== source) {
        throw new UsageError(
          `${path} belongs to another import: the CSV file, its columns or the server is another one. Nothing was ` +
            'sent. Continue that import, name another file with --checkpoint, or delete this one to import all rows.',
        );
      }
      await onLoaded();
      return stored;
    },
    save: (checkpoint) => {
      const withSource = { ...checkpoint, source };
      return file.save(withSource);
    },
  };
}
