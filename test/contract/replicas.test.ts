import { afterAll, beforeAll, describe } from 'vitest';
import { warnOfMissing } from '../webhooks/dedupe/availability.js';
import { findPostgres } from '../webhooks/dedupe/postgres-programs.js';
import { startPostgres } from '../webhooks/dedupe/postgres-server.js';
import { describeContract } from './suite.js';
import { replicasOver } from './worlds/replicas.js';

const found = findPostgres();
const suffix = 'missing' in found ? ` (${warnOfMissing('PostgreSQL', found.missing)})` : '';

describe.runIf('programs' in found)(`two replicas over PostgreSQL${suffix}`, () => {
  let url = '';
  let stop = async () => {};

  beforeAll(async () => {
    if ('missing' in found) return;
    ({ url, stop } = await startPostgres(found));
  });

  afterAll(() => stop());

  describeContract(replicasOver(() => url));
});
