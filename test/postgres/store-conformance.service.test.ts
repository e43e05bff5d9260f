import { describe } from 'vitest';
import { describeStore } from '../server/store-conformance/suite.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { spreadStore, useReplicas } from './support/spread-store.js';

describe.skipIf(missingPostgres)('over PostgreSQL', () => {
  const openReplicas = useReplicas(usePostgres());

  describeStore('one replica', () => spreadStore(openReplicas, 1));
  describeStore('two replicas in turn', () => spreadStore(openReplicas, 2));
});
