import { records } from './0001-records.js';
import { replicas } from './0002-replicas.js';

/** A step of the schema. A published one never changes. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * SQL, in which `:schema` stands for the quoted schema, `:jobs` for that of the jobs, and `:channel` for the channel of the
   * notices, as a string.
   */
  readonly sql: string;
}

/** All steps, in their order. */
export const migrations: readonly Migration[] = [
  { number: 1, name: 'records', sql: records },
  { number: 2, name: 'replicas', sql: replicas },
];
