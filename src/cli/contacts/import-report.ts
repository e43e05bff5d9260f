import type { BulkProgress, BulkSummary } from '../../index.js';
import { printable, type statusLine, type Terminal } from '../terminal/terminal.js';
import type { ContactsTable } from './contacts-table.js';
import type { RejectedRow } from './rejects-file.js';

/** The result of an import. */
export interface ImportResult {
  readonly file: string;
  readonly paths: { readonly rejects: string; readonly checkpoint: string };
  readonly table: ContactsTable;
  readonly summary: BulkSummary;
  /** Why it stopped, if it did. */
  readonly why: string;
  readonly rejects: { readonly count: number; readonly first: readonly RejectedRow[] };
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
      for (const rejected of first) terminal.print(lineOf(rejected));
      if (rejected > first.length) terminal.print(`And ${rejected - first.length} more.`);
    }
  }
  if (stoppedBecause !== undefined) terminal.complain(stopText(stoppedBecause, result));
  return stoppedBecause === undefined && imported === rows ? 0 : 1;
}

function stopText(
  { reason }: NonNullable<BulkSummary['stoppedBecause']>,
  { dryRun, paths, summary, why: cause }: ImportResult,
): string {
  const why = reason === 'aborted' ? 'as you asked' : `${reason}: ${printable(cause).replace(/\.$/, '')}`;
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

/** A rejected row in a line. Its line in the file is another than its row if a cell before it has line ends. */
function lineOf({ row, line, reason }: RejectedRow): string {
  return `Row ${row}${line === row ? '' : ` (line ${line})`}: ${printable(reason)}`;
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
