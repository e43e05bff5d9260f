import { checkConformance } from 'messaging-automation/conformance';
import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from '../postgres/support/database.js';
import { deploy } from './support/deployment.js';

describe.skipIf(missingPostgres)('a server over PostgreSQL', () => {
  const postgres = usePostgres();

  test('keeps everything that can be asked, with another replica beside it', async () => {
    const openStore = () => postgresStore({ connectionString: postgres().connectionString });
    await using deployment = await deploy({}, { store: openStore() });
    await using other = createReferenceServer({ store: openStore() });
    await other.settled();
    const { checks, totals, leftBehind } = await checkConformance(deployment.options);

    expect(checks.filter(({ verdict }) => verdict === 'broken' || verdict === 'not_checked')).toEqual([]);
    expect(totals.held).toBeGreaterThan(50);
    expect(leftBehind).toEqual([]);
  });
});
