import { expect, test } from 'vitest';
import { notRun } from '../../run/debian.js';
import { shared } from '../../run/shared.js';
import { runCampaign } from './campaign.js';

const redis = await shared('redis');
const suffix = 'missing' in redis ? notRun('a campaign against the order of deliveries', redis.missing) : '';

test.runIf('url' in redis)(
  `five hundred deliveries run in turn while processes are killed${suffix}`,
  async () => {
    const url = 'url' in redis ? `${redis.url}/8` : '';
    const campaign = {
      store: 'node-redis 6',
      url,
      seed: 1,
      deliveries: 500,
      contacts: 20,
      killEvery: 200,
    } as const;

    expect(await runCampaign(campaign)).toMatchObject({ wrong: [], handled: 500, kills: 2 });
  },
);
