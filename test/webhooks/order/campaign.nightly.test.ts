import { describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from '../../postgres/support/database.js';
import { notRun } from '../../run/debian.js';
import { shared } from '../../run/shared.js';
import type { StoreName } from '../promises/promises.js';
import { runCampaign } from './campaign.js';

const redis = await shared('redis');
const suffix =
  'missing' in redis ? notRun('the campaigns against the order of deliveries', redis.missing) : '';

/** Ten thousand deliveries of two hundred contacts to three processes, of which one is killed from time to time. */
function keepsTheOrder(store: StoreName, urlOf: () => string): void {
  test(`ten thousand deliveries run in turn while processes are killed, by ${store}`, {
    timeout: 1_800_000,
  }, async () => {
    const plan = { seed: 43, deliveries: 10_000, contacts: 200, killEvery: 700 };
    const { wrong, ...seen } = await runCampaign({ store, url: urlOf(), ...plan });

    expect(wrong).toEqual([]);
    expect(seen).toMatchObject({ handled: 10_000, kills: 14 });
  });
}

describe.runIf('url' in redis)(`in Redis${suffix}`, () => {
  for (const store of ['node-redis 6', 'ioredis'] as const)
    keepsTheOrder(store, () => ('url' in redis ? `${redis.url}/8` : ''));
});

describe.skipIf(missingPostgres)('in PostgreSQL', () => {
  const postgres = usePostgres();
  keepsTheOrder('PostgreSQL', () => postgres().server.url);
});
