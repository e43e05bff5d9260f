import { appendFile, rm, writeFile } from 'node:fs/promises';
import type { BulkProgress, BulkSummary } from '../../index.js';
import { CommandFailure, failing, messageOf } from '../terminal/failures.js';
import { printable, type statusLine, type Terminal } from '../terminal/terminal.js';
import { type ContactsTable, type CsvRow, rejectedColumns } from './contacts-table.js';

/** The result of an import. */
export interface ImportResult {
  readonly file: string;
  readonly paths: { readonly rejects: string; readonly checkpoint: string };
  readonly table: ContactsTable;
  readonly summary: BulkSummary;
  readonly rejects: Pick<ReturnType<typeof rejectsFile>, 'count' | 'first'>;
  readonly dryRun: boolean;
  readonly json?: boolean;
}

/** Prints the result of an import, and returns the exit code. */
export function importReport(terminal: Terminal, result: ImportResult): number {
  const { file, paths, table, summary, dryRun, json } = result;
  const { count: rejected, first } = result.rejects;
  const { stoppedBecause, overall, done } = summary;
  const { rows } = table;
  const imported = overall.done;
  const importedBefore = imported - done;
  const rejects = rejected > 0 && !dryRun ? paths.rejects : null;
  if (json) {
    const firstRejected = dryRun ? first : undefined;
    const reason = stoppedBecause?.reason ?? null;
    const counts = { rows, imported, importedBefore, rejected };
    terminal.print(
      JSON.stringify({ file, dryRun, ...counts, rejects, firstRejected, stoppedBecause: reason }),
    );
  } else {
    const earlier = importedBefore > 0 ? `, ${importedBefore} of them before` : '';
    const open = rows - imported - rejected;
    const parts = [dryRun ? `${imported} would be imported` : `${imported} imported${earlier}`];
    parts.push(`${rejected} rejected`);
    if (open > 0) parts.push(`${open} not tried`);
    const end = dryRun ? ' Nothing was sent.' : '';
    terminal.print(`${rows} ${rows === 1 ? 'row' : 'rows'}: ${parts.join(', ')}.${end}`);
    if (rejects !== null) terminal.print(`${rejects} has the rejected rows, with the reasons.`);
    if (dryRun) {
      for (const { row, reason } of first) terminal.print(`Row ${row}: ${printable(reason)}`);
      if (rejected > first.length) terminal.print(`And ${rejected - first.length} more.`);
    }
  }
  if (stoppedBecause !== undefined) terminal.complain(stopText(stoppedBecause, result));
  return stoppedBecause === undefined && imported === rows ? 0 : 1;
}

function stopText(
  { reason, error }: NonNullable<BulkSummary['stoppedBecause']>,
  { dryRun, paths, summary }: ImportResult,
): string {
  const why = reason === 'aborted' ? 'as you asked' : `${reason}: ${printable(messageOf(error))}`;
  if (reason === 'all_rejected') {
    return (
      `Stopped (${why}). The first rows were all refused for this reason, and the others probably would be. Correct the ` +
      'file, or map its columns with --map, and run the command again. --dry-run checks every row.\n'
    );
  }
  if (dryRun) return `Stopped (${why}).\n`;
  const next =
    summary.overall.done === 0
      ? 'No row was imported. Run the same command again to start over.'
      : `Run the same command again to continue. ${paths.checkpoint} holds the progress.`;
  return `Stopped (${why}). ${next}\n`;
}

/** Without a screen, print a line for at least this many rows. */
const fewestRows = 100;

/** The rate of fewer rows is not meaningful. */
const fewestForPace = 20;

/** Shows the progress of an import: on a screen in one line at each row, otherwise in a new line at each twentieth. */
export function importProgress(terminal: Terminal, line: ReturnType<typeof statusLine>, total: number) {
  const step = terminal.screen ? 1 : Math.max(fewestRows, Math.ceil(total / 20));
  let due = step;
  return ({ done, rejected, unknown, skipped, timeLeft = 0 }: BulkProgress): void => {
    const worked = done + rejected + unknown;
    const behind = worked + skipped;
    if (behind < due) return;
    due = behind + step;
    const parts = [`${behind} of ${total} rows (${Math.floor((100 * behind) / total)} %)`];
    if (rejected + unknown > 0) parts.push(`${rejected + unknown} rejected`);
    if (worked >= fewestForPace && timeLeft > 0) {
      const rate = (1_000 * (total - behind)) / timeLeft;
      parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} rows/s`);
      parts.push(`${durationText(timeLeft)} left`);
    }
    if (terminal.screen) line.show(parts.join(', '));
    else terminal.complain(`${parts.join(', ')}\n`);
  };
}

function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How many rejected rows a dry run shows. */
const shownAtMost = 20;

/**
 * A CSV file of the rejected rows, with their numbers and the reasons. Its columns have the names of the properties, and commas
 * between them, so that an import needs no other flags. It exists only if rows were rejected. Before `begin` nothing is written.
 */
export function rejectsFile(path: string, { properties }: ContactsTable) {
  const first: { readonly row: number; readonly reason: string }[] = [];
  let count = 0;
  let isOpen = false;
  let written: Promise<unknown> = Promise.resolve();
  const lineOf = (before: readonly string[], cells: readonly (string | undefined)[]) => {
    const kept = cells.filter((_, place) => place >= properties.length || properties[place] !== undefined);
    return `${[...before, ...kept].map(quoted).join(',')}\n`;
  };
  const problem = `Cannot write the rejected rows to ${path}.`;
  return {
    /** The first rejected rows, for a dry run, which writes no file. */
    first,

    /** How many rows were rejected. */
    get count() {
      return count;
    },

    /**
     * Empties the file. Only its owner can read it, because it holds phone numbers.
     *
     * @throws UsageError if it cannot be written.
     */
    async begin(): Promise<void> {
      await writeFile(path, '', { mode: 0o600 }).catch(failing(problem));
      isOpen = true;
    },

    /** Resolves once the row is in the file. */
    async add({ number, cells }: CsvRow, reason: string): Promise<void> {
      count += 1;
      if (count <= shownAtMost) first.push({ row: number, reason });
      if (!isOpen) return;
      const heading = count === 1 ? lineOf(rejectedColumns, properties) : '';
      const lines = heading + lineOf([String(number), reason], cells);
      written = written.then(() => appendFile(path, lines));
      await written.catch(failing(problem, CommandFailure));
    },

    /** Removes the file if no row was rejected. */
    async close(): Promise<void> {
      if (isOpen && count === 0) await rm(path, { force: true });
    },
  };
}

function quoted(cell = ''): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
