import { test } from 'vitest';
import { runCampaign } from './campaign.js';

test.each([Number(process.env.CAMPAIGN_SEED ?? Math.trunc(Math.random() * 2 ** 31))])(
  '2,000 sends through every trouble and twenty kills end each sent once or named with its reason: CAMPAIGN_SEED=%i',
  (seed) => runCampaign(2_000, 20, seed),
);
