import { createHash } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { fileCheckpoint } from '../../bulk/index.js';
import {
  type BulkCheckpoint,
  type BulkCheckpointChange,
  checkpointOf,
  ItemStatuses,
  readItemStatuses,
} from '../../client/bulk/checkpoint.js';
import { appendToFile } from '../../files/write-file.js';
import type { BulkSummary, CheckpointStore } from '../../index.js';
import { messageOf, UsageError } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import { type ContactsTable, contactIn, isWellFormed, type NamedFormat, rowsOf } from './contacts-table.js';
import type { RejectsFile } from './rejects-file.js';
import { RowMarks } from './row-marks.js';

/** How long to wait for the lock of the checkpoint before the command reports it. In milliseconds. */
const untilReported = 500;

const operation = 'contacts.upsert';

/** What a checkpoint belongs to. */
export interface ImportedTable {
  readonly path: string;
  readonly table: ContactsTable;
  readonly baseUrl: string;
  /** What this command line, or an earlier one, named of the file. */
  readonly format: NamedFormat;
}

/**
 * The checkpoint of an import in a file. It knows the imported rows by their content, so that the file may be corrected, sorted
 * or saved in another format between two runs: a row whose contact is as it was is skipped wherever it stands.
 */
export class ImportCheckpoint implements CheckpointStore {
  readonly #imported: ImportedTable;
  readonly #file: Required<CheckpointStore>;
  readonly #terminal: Terminal;
  readonly #rejects: RejectsFile;

  /** @param rejects - The file of rejected rows. It begins once no other run uses the checkpoint, and this run may continue it. */
  constructor(terminal: Terminal, imported: ImportedTable, rejects: RejectsFile) {
    this.#terminal = terminal;
    this.#imported = imported;
    this.#file = fileCheckpoint(imported.path);
    this.#rejects = rejects;
  }

  async open(): Promise<void> {
    const { clock } = this.#terminal;
    const text = 'Waiting up to 14 s for the lock of an earlier run …\n';
    const cancelLine = clock.setTimer(() => this.#terminal.complain(text), untilReported);
    try {
      await this.#file.open();
    } catch (error) {
      throw this.#unusable(error);
    } finally {
      cancelLine();
    }
  }

  async load(): Promise<unknown> {
    const stored = await this.#file.load();
    const continued = await this.#continued(stored);
    const edited = await this.#rejects.begin(rejectsIn(stored));
    if (edited !== undefined) {
      this.#terminal.complain(
        `The rejected rows of the earlier import were edited. They are now in ${edited}: import that file, too, if you have not.\n`,
      );
    }
    return continued;
  }

  /**
   * Removes the file if nothing is left that the next run needs. Else it records what the file of rejected rows holds, so that the
   * next run sees whether it was edited.
   */
  async end({ overall, stoppedBecause }: BulkSummary): Promise<void> {
    const { path, table, format } = this.#imported;
    const isComplete = overall.done === table.rows;
    const isNeeded = overall.done > 0 || Object.keys(format).length > 0;
    if (isComplete || !isNeeded) await rm(path, { force: true });
    else if (stoppedBecause?.reason !== 'checkpoint_failed')
      await appendToFile(path, `${JSON.stringify({ rejects: this.#rejects.digest })}\n`);
  }

  async save(checkpoint: BulkCheckpoint): Promise<void> {
    const { path, table, baseUrl, format } = this.#imported;
    const whole = { ...checkpoint, server: digestOf(baseUrl), format, rows: String(table.marks) };
    await this.#file.save(whole);
    await chmod(path, 0o600).catch(() => {}); // a phone can be guessed by the mark of its row
  }

  append(change: BulkCheckpointChange): Promise<void> {
    return this.#file.append(change);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** What is stored, by the places of the rows in the file as it is now. */
  async #continued(stored: unknown): Promise<unknown> {
    const statuses = readItemStatuses(stored, operation);
    if (statuses === undefined) return stored; // nothing, or a content that the run refuses
    const { table, baseUrl } = this.#imported;
    const { rows, server, source } = wholeOf(stored);
    if (typeof rows !== 'string') {
      if (source === this.#sourceOfRelease020()) return stored;
      throw this.#ofAnother('the CSV file, its columns or the server is another one');
    }
    if (statuses.counts.done === 0) return undefined;
    if (server !== digestOf(baseUrl)) throw this.#ofAnother('the server is another one');
    return checkpointOf(operation, await statusesNow(table, RowMarks.from(rows), statuses));
  }

  /** What checkpoints of 0.2.0 have instead of the rows. They count places, so they are valid only for the same file. */
  #sourceOfRelease020(): string {
    const { table, baseUrl } = this.#imported;
    return digestOf(JSON.stringify([table.digest, table.dialect.separator, table.properties, baseUrl]));
  }

  #ofAnother(why: string): UsageError {
    return new UsageError(
      `${this.#imported.path} belongs to another import: ${why}. Nothing was sent. Continue that import, name another ` +
        'file with --checkpoint, or delete this one to import all rows.',
    );
  }

  #unusable(error: unknown): unknown {
    const { syscall }: { readonly syscall?: unknown } = Object(error);
    if (syscall === undefined) return error;
    return new UsageError(
      `Cannot write the checkpoint ${this.#imported.path}. ${messageOf(error)}. Name files in a folder where you may ` +
        'write, with --checkpoint and --rejects.',
    );
  }
}

/** What an earlier command line named of a file, if its import is not over. */
export async function keptFormat(path: string): Promise<NamedFormat> {
  const stored = await fileCheckpoint(path)
    .load()
    .catch(() => undefined); // the run loads it again, and reports what is wrong
  const { map, delimiter, encoding }: Readonly<Record<string, unknown>> = Object(wholeOf(stored).format);
  const properties = Object.entries(Object(map)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    ...(properties.length > 0 && { map: Object.fromEntries(properties) }),
    ...(typeof delimiter === 'string' && { delimiter }),
    ...(typeof encoding === 'string' && { encoding }),
  };
}

/** The digest of the rejected rows at the end of the run before; `undefined` if that run did not end by itself. */
function rejectsIn(stored: unknown): string | undefined {
  const last: unknown = Array.isArray(stored) ? stored.at(-1) : undefined;
  const { rejects }: { readonly rejects?: unknown } = Object(last);
  return typeof rejects === 'string' ? rejects : undefined;
}

/** The checkpoint in a stored value, without the changes after it. */
function wholeOf(stored: unknown): Readonly<Record<string, unknown>> {
  return Object(Array.isArray(stored) ? stored[0] : stored);
}

/**
 * The states of the rows as they are now. A row is done if an earlier run imported one with the same content. The rows of a
 * contact after one that is not done are open too: imported before it, they would be overwritten by an older row.
 */
async function statusesNow(
  table: ContactsTable,
  before: RowMarks,
  statuses: ItemStatuses,
): Promise<ItemStatuses> {
  const imported = new Map<bigint, number>();
  for (let place = 0; place < before.length; place += 1) {
    const mark = before.at(place);
    if (statuses.of(place) === 'done') imported.set(mark, (imported.get(mark) ?? 0) + 1);
  }
  const now = new ItemStatuses();
  const open = new Set<string>();
  let place = 0;
  for await (const row of rowsOf(table)) {
    if (!isWellFormed(row, table)) continue;
    const { phone } = contactIn(row, table);
    const mark = table.marks.at(place);
    const left = imported.get(mark) ?? 0;
    if (left > 0 && !open.has(phone)) {
      imported.set(mark, left - 1);
      now.set([place, place], 'done');
    } else {
      open.add(phone);
    }
    place += 1;
  }
  return now;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
