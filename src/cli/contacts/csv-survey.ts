import { createHash } from 'node:crypto';
import { UsageError } from '../terminal/usage-error.js';
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

/**
 * Reads a CSV file to its end.
 *
 * @throws UsageError if the file cannot be read, is not CSV, or is empty.
 */
export async function surveyCsv(path: string, delimiter: string): Promise<CsvSurvey> {
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
