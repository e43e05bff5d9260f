import { describe } from 'vitest';
import { missingPostgres, usePostgres } from '../../postgres/support/database.js';
import { notRun } from '../../run/debian.js';
import { shared } from '../../run/shared.js';
import { memory, postgresAt, redisAt, startKeyValueService } from './backends.js';
import { redisClients } from './promises.js';
import { keepsItsPromises, keepsTurns, useBackend } from './suite.js';

const redis = await shared('redis');
const suffix = 'missing' in redis ? notRun('the promises of a receiver with Redis', redis.missing) : '';

keepsItsPromises('memory', 'quick', () => memory);
keepsTurns('memory', 'quick', () => memory);

describe.runIf('url' in redis).each(redisClients)(`%s${suffix}`, (name) => {
  keepsItsPromises(name, 'quick', () => redisAt('url' in redis ? `${redis.url}/9` : ''));
  keepsTurns(name, 'quick', () => redisAt('url' in redis ? `${redis.url}/9` : ''));
});

describe.skipIf(missingPostgres)('PostgreSQL', () => {
  const postgres = usePostgres();
  keepsItsPromises('PostgreSQL', 'quick', () => postgresAt(postgres().server.url));
  keepsTurns('PostgreSQL', 'quick', () => postgresAt(postgres().server.url));
});

describe('key-value', () => {
  const backend = useBackend(startKeyValueService);
  keepsItsPromises('key-value', 'quick', backend);
  keepsTurns('key-value', 'quick', backend);
});
