import { test } from 'vitest';
import { runCampaign } from './campaign.js';

test('400 sends through every trouble and three kills end each sent once or named with its reason', () =>
  runCampaign(400, 3, 1));
