import type { BulkStop, BulkSummary } from '../../index.js';
import { messageOf } from '../terminal/failures.js';
import { printable } from '../terminal/printable.js';
import type { Terminal } from '../terminal/terminal.js';
import type { CsvSurvey } from './csv.js';
import type { RejectsFile } from './rejects-file.js';

/** The result of an import. */
export interface ImportResult {
  readonly file: string;
  readonly paths: { readonly rejects: string; readonly checkpoint: string };
  readonly survey: CsvSurvey;
  readonly summary: BulkSummary;
  readonly rejects: Pick<RejectsFile, 'count' | 'first'>;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** Prints the result of an import, and returns the exit code. */
export function importReport(terminal: Terminal, result: ImportResult): number {
  const { stoppedBecause } = result.summary;
  if (result.json) terminal.print(JSON.stringify(asJson(result)));
  else terminal.print(asText(result).join('\n'));
  if (stoppedBecause !== undefined) terminal.complain(stopText(stoppedBecause, result));
  const { rows, imported } = countsOf(result);
  return stoppedBecause === undefined && imported === rows ? 0 : 1;
}

function countsOf({ survey, summary, rejects }: ImportResult) {
  const rows = survey.wellFormed + survey.malformed;
  const imported = summary.overall.done;
  return { rows, imported, importedBefore: imported - summary.done, rejected: rejects.count };
}

function asJson(result: ImportResult): object {
  const { file, paths, summary, rejects, dryRun } = result;
  const { stoppedBecause } = summary;
  return {
    file,
    dryRun,
    ...countsOf(result),
    rejects: rejects.count > 0 && !dryRun ? paths.rejects : null,
    ...(dryRun && { firstRejected: rejects.first }),
    stoppedBecause: stoppedBecause === undefined ? null : stoppedBecause.reason,
  };
}

function asText(result: ImportResult): readonly string[] {
  const { paths, dryRun } = result;
  const { rows, imported, importedBefore, rejected } = countsOf(result);
  const earlier = importedBefore > 0 ? `, ${importedBefore} of them before` : '';
  const open = rows - imported - rejected;
  const parts = [
    dryRun ? `${imported} would be imported` : `${imported} imported${earlier}`,
    `${rejected} rejected`,
    ...(open > 0 ? [`${open} not tried`] : []),
  ];
  return [
    `${rows} ${rows === 1 ? 'row' : 'rows'}: ${parts.join(', ')}.${dryRun ? ' Nothing was sent.' : ''}`,
    ...(dryRun ? firstRejected(result) : []),
    ...(rejected > 0 && !dryRun ? [`${paths.rejects} has the rejected rows, with the reasons.`] : []),
  ];
}

function firstRejected({ rejects: { first, count } }: ImportResult): readonly string[] {
  const lines = first.map(({ row, reason }) => `Row ${row}: ${printable(reason)}`);
  return count > first.length ? [...lines, `And ${count - first.length} more.`] : lines;
}

function stopText({ reason, error }: BulkStop, { dryRun, paths, summary }: ImportResult): string {
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
