import { describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from '../../../postgres/support/database.js';
import { plant, plantedFaults } from './planted.js';

describe.skipIf(missingPostgres)('the faults that a soak plants', () => {
  const postgres = usePostgres();

  // What they do, and that the accounts find it, the soak itself shows: `npm run soak -- --store postgres --fault all`.
  test.each(plantedFaults)('%s fits the tables as they are', async (fault) => {
    const { server, freshSchema } = postgres();
    const schema = await freshSchema();

    await expect(plant(fault, server.pool, schema)).resolves.toBeUndefined();
  });
});
