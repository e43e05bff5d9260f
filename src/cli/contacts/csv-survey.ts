import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { UsageError } from '../terminal/failures.js';
import { csvRows } from './csv-records.js';

/** The columns and the number of rows of a CSV file. */
export interface CsvSurvey {
  /** The names of its columns. */
  readonly header: readonly string[];
  /** How many rows have as many cells as there are columns. */
  readonly wellFormed: number;
  /** How many rows have more or fewer. */
  readonly malformed: number;
  /** SHA-256 of the file. */
  readonly digest: string;
}

/** @throws UsageError if an import could not read it twice: a pipe is empty after the first time, and may never end. */
async function checkFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined); // the error of reading it says more
  if (found === undefined || found.isFile()) return;
  throw new UsageError(
    `${path} is not a regular file, and an import reads it twice. Save its content to a file first.`,
  );
}

/**
 * Reads a CSV file to its end.
 *
 * @throws UsageError if the file cannot be read, is not CSV, or is empty.
 */
export async function surveyCsv(path: string, delimiter: string): Promise<CsvSurvey> {
  await checkFile(path);
  const hash = createHash('sha256');
  let header: readonly string[] | undefined;
  let wellFormed = 0;
  let malformed = 0;
  for await (const { cells } of csvRows(path, { delimiter, onBytes: (bytes) => hash.update(bytes) })) {
    if (header === undefined) header = cells.map((name) => name.trim());
    else if (cells.length === header.length) wellFormed += 1;
    else malformed += 1;
  }
  if (header === undefined) {
    throw new UsageError(`${path} is empty. Its first row must name the columns, one of them phone.`);
  }
  return { header, wellFormed, malformed, digest: hash.digest('hex') };
}
