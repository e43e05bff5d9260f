import { test } from 'vitest';
import { runCampaign } from './campaign.js';

test.each([Number(process.env.CAMPAIGN_SEED ?? Math.trunc(Math.random() * 2 ** 31))])(
  '2,000 sends through every trouble and twenty kills end each sent once or named with its reason: CAMPAIGN_SEED=%i',
  // Twenty processes start and are killed, one after the other; a busy machine takes minutes.
  { timeout: 300_000 },
  (seed) => runCampaign(2_000, 20, seed),
);
