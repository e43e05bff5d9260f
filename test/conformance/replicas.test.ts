import { checkConformance } from 'messaging-automation/conformance';
import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer } from 'messaging-automation/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warnOfMissing } from '../webhooks/dedupe/availability.js';
import { findPostgres } from '../webhooks/dedupe/postgres-programs.js';
import { startPostgres } from '../webhooks/dedupe/postgres-server.js';
import { deploy } from './support/deployment.js';

const found = findPostgres();
const suffix = 'missing' in found ? ` (${warnOfMissing('PostgreSQL', found.missing)})` : '';

describe.runIf('programs' in found)(`a server over PostgreSQL${suffix}`, () => {
  let url = '';
  let stop = async () => {};

  beforeAll(async () => {
    if ('missing' in found) return;
    ({ url, stop } = await startPostgres(found));
  });

  afterAll(() => stop());

  test('keeps everything that can be asked, with another replica beside it', async () => {
    const openStore = () => postgresStore({ connectionString: url });
    await using deployment = await deploy({}, { store: openStore() });
    await using other = createReferenceServer({ store: openStore() });
    await other.settled();
    const { checks, totals, leftBehind } = await checkConformance(deployment.options);

    expect(checks.filter(({ verdict }) => verdict === 'broken' || verdict === 'not_checked')).toEqual([]);
    expect(totals.held).toBeGreaterThan(50);
    expect(leftBehind).toEqual([]);
  });
});
