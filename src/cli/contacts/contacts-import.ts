import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { realPathOf } from '../../files/real-path.js';
import { MessagingAutomation, type RequestError, type UpsertContactInput } from '../../index.js';
import {
  assignment,
  type DeploymentOptions,
  deploymentOf,
  withDeploymentOptions,
} from '../running-server/options.js';
import { CommandFailure, messageOf, UsageError, usable } from '../terminal/failures.js';
import { type CliCommand, statusLine, stopSignal, type Terminal } from '../terminal/terminal.js';
import { wholeNumber } from '../terminal/time.js';
import {
  type ColumnMap,
  type ContactsTable,
  contactIn,
  isWellFormed,
  type NamedFormat,
  openTable,
  rowsOf,
} from './contacts-table.js';
import type { CsvRow } from './csv-rows.js';
import { ImportCheckpoint, keptFormat } from './import-checkpoint.js';
import { importProgress, importReport } from './import-report.js';
import { phoneProblem } from './phone-problem.js';
import { RejectsFile } from './rejects-file.js';

interface ImportOptions extends DeploymentOptions {
  readonly map?: ColumnMap;
  readonly delimiter?: string;
  readonly encoding?: string;
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
        .description('create a contact, or import contacts from a file')
        .command('import')
        .argument('<file>', 'the CSV file')
        .description('upsert the contacts in a CSV file')
        .option(
          '--map <column=property>',
          'property of a column; COLUMN=phone for the phone, COLUMN= leaves it out; repeatable',
          assignment(/^\s*(.+?)\s*=\s*([^=]*?)\s*$/s, 'COLUMN=PROPERTY'),
        )
        .option(
          '--delimiter <character>',
          'character between two cells, or tab (default: found in the file)',
          character,
        )
        .option(
          '--encoding <name>',
          'encoding of the file, such as windows-1252 (default: found in the file)',
          encoding,
        )
        .option('--dry-run', 'check every row as the client does, send nothing and write no file', false)
        .option('--rejects <file>', 'file for rejected rows (default: contacts.rejects.csv for contacts.csv)')
        .option(
          '--checkpoint <file>',
          'file for the progress (default: contacts.checkpoint.json for contacts.csv)',
        )
        .option('--concurrency <number>', 'requests at once (default: 8)', wholeNumber),
    ),
  examples: `  $ messaging-automation contacts import contacts.csv --dry-run
  $ messaging-automation contacts import contacts.csv
  $ messaging-automation contacts import people.csv --map Mobile=phone --map 'First name=firstName' --map Notes=
  $ messaging-automation contacts import contacts.csv --url https://messaging.example.com --json`,
  notes: `The first row of the file names the columns. The column phone holds the phone
numbers, such as +15551234567; phone_without_plus holds numbers that begin with the
country code and lost their +. Every other column is a property of that name, and
its values are texts. Empty cells are left out. A contact that exists is updated.

Separator and encoding are found in the file: , ; tab or |, a first line sep=;,
UTF-8, UTF-16 and windows-1252. --delimiter and --encoding name any other.

Rejected rows of contacts.csv go to contacts.rejects.csv with their row numbers and the
reasons, in the same format. Correct them there or in contacts.csv, and import what you
corrected. You need not repeat --map, --delimiter and --encoding: the command knows
those of the first import.

Ctrl-C stops the import. Run the command again to continue: it skips the rows that
are imported, also in a file that you corrected, and tries the others. The progress
is in contacts.checkpoint.json, which the command removes when all rows are imported.

Exit codes:
  0  all rows are imported
  1  some rows were rejected or not tried, or the import stopped
  2  the command line or the file is wrong`,
  run: importContacts,
};

async function importContacts(terminal: Terminal, file: string, options: ImportOptions): Promise<number> {
  const signal = stopSignal(terminal);
  const paths = await pathsBeside(file, options);
  const { dryRun } = options;
  const deployment = dryRun ? rehearsal() : deploymentOf(terminal, options, { validation: 'warn' });
  const { client, baseUrl, describe } = deployment;
  const kept = await keptFormat(paths.checkpoint);
  const format = { ...kept, ...formatOf(options) };
  const table = await openTable(file, formatOf(options), kept);
  if (table.dialect.encoding.isGuessed) terminal.complain(guessText(file));
  const rejects = new RejectsFile(paths.rejects, table);
  const rows = new RowsUnderWay(table, rejects, describe);
  const line = statusLine(terminal);
  const total = table.wellFormed;
  const imported = { path: paths.checkpoint, table, baseUrl, format };
  const checkpoint = new ImportCheckpoint(terminal, imported, rejects);
  const run = usable(() =>
    client.contacts.upsertEach(rows.contacts(), {
      concurrency: options.concurrency,
      signal,
      total,
      onProgress: importProgress(terminal, line, total),
      ...(dryRun
        ? { maxConsecutiveFailures: Number.POSITIVE_INFINITY }
        : { checkpoint, retryRejected: true }),
    }),
  );
  try {
    for await (const outcome of run) {
      if (outcome.status !== 'done') await rows.reject(outcome.input, outcome.error);
    }
    const summary = await run.summary();
    line.clear();
    if (!dryRun) await checkpoint.end(summary);
    const why = rows.reasonOf(summary.stoppedBecause?.error);
    return importReport(terminal, { ...options, file, paths, table, summary, why, rejects });
  } catch (error) {
    line.clear();
    throw error instanceof CommandFailure ? error : new UsageError(messageOf(error));
  } finally {
    await rejects.close();
  }
}

/** The rows of a table while they are imported. */
class RowsUnderWay {
  readonly #table: ContactsTable;
  readonly #rejects: RejectsFile;
  /** The row of each contact. */
  readonly #rows = new WeakMap<object, CsvRow>();
  /** What the report says of an error, where that is not its message. */
  readonly #reasons = new WeakMap<object, string>();
  /** Why a request failed, and what to do. */
  readonly #describe: (error: unknown) => string;

  constructor(table: ContactsTable, rejects: RejectsFile, describe: (error: unknown) => string) {
    this.#table = table;
    this.#rejects = rejects;
    this.#describe = describe;
  }

  /** The contacts in the rows. A row that is not well-formed has none, and is rejected. */
  async *contacts(): AsyncGenerator<UpsertContactInput> {
    const { length } = this.#table.properties;
    for await (const row of rowsOf(this.#table)) {
      if (isWellFormed(row, this.#table)) {
        const contact = contactIn(row, this.#table);
        this.#rows.set(contact, row);
        yield contact;
      } else {
        await this.#rejects.add(
          row,
          `The row has ${row.cells.length} cells, and there are ${length} columns.`,
        );
      }
    }
  }

  /** Rejects the row of a contact, for what is wrong with its phone, or else for the error of its call. */
  async reject(contact: UpsertContactInput, error: RequestError): Promise<void> {
    const problem = phoneProblem(contact.phone);
    if (problem !== undefined) this.#reasons.set(error, problem);
    const row = this.#rows.get(contact);
    if (row !== undefined) await this.#rejects.add(row, this.reasonOf(error));
  }

  reasonOf(error: unknown): string {
    return this.#reasons.get(Object(error)) ?? this.#describe(error);
  }
}

/** What the command line names of the file. */
function formatOf({ map, delimiter, encoding }: ImportOptions): NamedFormat {
  return {
    ...(map && { map }),
    ...(delimiter && { delimiter }),
    ...(encoding && { encoding }),
  };
}

function guessText(file: string): string {
  return (
    `${file} is not in UTF-8, and is read as windows-1252. If letters with accents come out wrong, name its encoding, such ` +
    'as --encoding windows-1250.\n'
  );
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

/** One character. A shell has no easy way to pass a tab or a control character, so these have names. */
function character(text: string): string {
  const named = text
    .replace(/^(?:tab|\\t)$/i, '\t')
    .replace(/^\\u([0-9a-f]{4})$/i, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  if (!/^[^"\r\n]$/u.test(named)) throw new InvalidArgumentError('It must be one character.');
  return named;
}

/** The name of an encoding in the Encoding Standard. */
function encoding(text: string): string {
  try {
    return new TextDecoder(text).encoding;
  } catch {
    throw new InvalidArgumentError(
      'It must be the name of an encoding, such as utf-8, utf-16le or windows-1252.',
    );
  }
}

/** A deployment for `--dry-run`: the client checks its input, and nothing is sent. */
function rehearsal() {
  const baseUrl = 'http://127.0.0.1/api';
  const headers = () => new Headers({ 'Content-Type': 'application/json' });
  const response = { status: 201, body: '{"id":"dry_run","properties":{}}' };
  const transport = { exchange: async () => ({ ...response, headers: headers() }) };
  return {
    baseUrl,
    describe: messageOf,
    client: new MessagingAutomation({ apiKey: 'dry_run', baseUrl, transport }),
  };
}
