import { claimingFunctions } from '../functions/claiming.js';
import { dueWorkFunctions } from '../functions/due-work.js';
import { writingFunctions } from '../functions/writing.js';
import { records } from './0001-records.js';
import { replicas } from './0002-replicas.js';
import { secondVersion } from './0003-second-version.js';
import { settingsMarks } from './0005-settings-marks.js';
import { outbox } from './0006-outbox.js';

/** A step of the schema. A published step for tables and indexes never changes. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * SQL with placeholders: `:schema` is the quoted schema, `:jobs` the quoted schema of the jobs, and `:channel` the channel of
   * the notices as a string.
   */
  readonly sql: string;
}

/**
 * All steps, in order. A change of the functions needs a step that drops and creates them, with their types. Step 4 was such a step of
 * version 0.2.0: a step with the functions of a version leaves when later ones replace them.
 */
export const migrations: readonly Migration[] = [
  { number: 1, name: 'records', sql: records },
  { number: 2, name: 'replicas', sql: replicas },
  { number: 3, name: 'second-version', sql: secondVersion },
  { number: 5, name: 'settings-marks', sql: settingsMarks },
  { number: 6, name: 'outbox', sql: outbox },
  { number: 7, name: 'functions', sql: claimingFunctions + writingFunctions + dueWorkFunctions },
];
