import { describe } from 'vitest';
import { missingPostgres, usePostgres } from '../postgres/support/database.js';
import { describeContract } from './suite.js';
import { replicasOver } from './worlds/replicas.js';

describe.skipIf(missingPostgres)('two replicas over PostgreSQL', () => {
  const postgres = usePostgres();

  describeContract(replicasOver(() => postgres().connectionString));
});
