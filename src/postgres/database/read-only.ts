import type { StoreFailures } from './errors.js';
import { booleanIn } from './rows.js';

/** SQL of two columns: whether the server is a standby, and whether its transactions only read. */
export const readsOnly = `
  pg_catalog.pg_is_in_recovery() as is_standby,
  pg_catalog.current_setting('transaction_read_only') = 'on' as is_read_only`;

/** @throws StoreUnavailableError if the row says that the database only reads, as a statement that writes would. */
export function refuseReadOnly(row: unknown, failures: StoreFailures): void {
  const isStandby = booleanIn(row, 'is_standby');
  if (!isStandby && !booleanIn(row, 'is_read_only')) return;
  const message = isStandby ? 'cannot write during recovery' : 'cannot write in a read-only transaction';
  throw failures.ofStatement(Object.assign(new Error(message), { code: '25006' }));
}
