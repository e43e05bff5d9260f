import { records } from './0001-records.js';

/** A step of the schema. A published one never changes. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** SQL, in which `:schema` stands for the quoted schema. */
  readonly sql: string;
}

/** All steps, in their order. */
export const migrations: readonly Migration[] = [{ number: 1, name: 'records', sql: records }];
