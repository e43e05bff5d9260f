import { records } from './0001-records.js';
import { replicas } from './0002-replicas.js';

/** A step of the schema. A published one never changes. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * SQL with placeholders: `:schema` is the quoted schema, `:jobs` the quoted schema of the jobs, and `:channel` the channel of
   * the notices as a string.
   */
  readonly sql: string;
}

/** All steps, in order. */
export const migrations: readonly Migration[] = [
  { number: 1, name: 'records', sql: records },
  { number: 2, name: 'replicas', sql: replicas },
];
