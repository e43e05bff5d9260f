import { describe } from 'vitest';
import { describeStore } from '../server/store-conformance/suite.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { spreadStore } from './support/spread-store.js';

describe.skipIf(missingPostgres)('over PostgreSQL', () => {
  const postgres = usePostgres();

  describeStore('one replica', () => spreadStore(postgres(), 1));
  describeStore('two replicas in turn', () => spreadStore(postgres(), 2));
});
