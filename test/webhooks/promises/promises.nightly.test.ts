import { describe } from 'vitest';
import { missingPostgres, useOwnPostgres } from '../../postgres/support/database.js';
import { notRun } from '../../run/debian.js';
import { findRedis } from '../../run/redis-server.js';
import { memory, ownRedis, postgresAt, startKeyValueService } from './backends.js';
import { redisClients } from './promises.js';
import { keepsItsPromises, keepsTurns, useBackend } from './suite.js';

const redis = await findRedis();
const suffix =
  'missing' in redis ? notRun('the promises of a receiver whose Redis fails', redis.missing) : '';

keepsItsPromises('memory', 'rest', () => memory);
keepsTurns('memory', 'rest', () => memory);

describe.runIf('program' in redis)(`Redis${suffix}`, () => {
  const [keeping, forgetting] = [useBackend(() => ownRedis(true)), useBackend(() => ownRedis(false))];
  for (const name of redisClients) {
    keepsItsPromises(name, 'rest', (scope) => (scope.startsWith('Redis') ? forgetting() : keeping()));
    keepsTurns(name, 'rest', (scope) => (scope.startsWith('Redis') ? forgetting() : keeping()));
  }
});

describe.skipIf(missingPostgres)('PostgreSQL', () => {
  const postgres = useOwnPostgres();
  keepsItsPromises('PostgreSQL', 'rest', () => postgresAt(postgres().server.url, postgres().server));
  keepsTurns('PostgreSQL', 'rest', () => postgresAt(postgres().server.url, postgres().server));
});

describe('key-value', () => {
  const backend = useBackend(startKeyValueService);
  keepsItsPromises('key-value', 'rest', backend);
  keepsTurns('key-value', 'rest', backend);
});
