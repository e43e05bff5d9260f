import { readFile } from 'node:fs/promises';
import type { Pool } from 'pg';

/** Faults that a store or an engine could have, each planted into the database by a file of its name. */
export const plantedFaults = [
  'claim-ignores-leases',
  'settlement-ignores-tokens',
  'lost-retry',
  'quota-spent-wrong',
  'event-without-runs',
  'attempt-number-skipped',
] as const;

export type PlantedFault = (typeof plantedFaults)[number];

/** Has the service work with this fault from now on. */
export async function plant(fault: PlantedFault, pool: Pool, schema: string): Promise<void> {
  const text = await readFile(new URL(`./${fault}.sql`, import.meta.url), 'utf8');
  await pool.query(text.replaceAll(':schema', schema));
}
