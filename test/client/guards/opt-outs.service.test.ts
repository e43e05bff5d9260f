import { createPostgresKeyValueStore, createRedisKeyValueStore } from 'messaging-automation';
import { describe } from 'vitest';
import { missingPostgres, usePostgres } from '../../postgres/support/database.js';
import { notRun } from '../../run/debian.js';
import { missingRedis, useRedisClients } from '../../webhooks/dedupe/redis-clients.js';
import { keepsOptOuts } from './keeping-opt-outs.js';

describe.skipIf(missingPostgres)('opt-outs in PostgreSQL', () => {
  const postgres = usePostgres();
  let tables = 0;

  keepsOptOuts(async () => {
    tables += 1;
    const { pool } = postgres().server;
    const table = `opt_outs_${tables}`;
    const store = createPostgresKeyValueStore(pool, { table });
    await store.migrate();
    const pass = async (milliseconds: number) => {
      const earlier = `expires_at - ${milliseconds} * interval '1 millisecond'`;
      await pool.query(`UPDATE ${table} SET expires_at = ${earlier}`);
      await store.prune();
    };
    return { store, pass };
  });
});

const suffix = missingRedis === undefined ? '' : notRun('opt-outs in Redis', missingRedis);

describe.skipIf(missingRedis)(`opt-outs in Redis${suffix}`, () => {
  const clients = useRedisClients();
  const run = crypto.randomUUID();
  let stores = 0;

  keepsOptOuts(() => {
    stores += 1;
    const prefix = `${run} opt-outs ${stores}:`;
    const store = createRedisKeyValueStore(clients.nodeRedis(), { prefix });
    return { store, pass: (milliseconds) => clients.pass(prefix, milliseconds) };
  });
});
