import { test } from 'vitest';
import { runCampaign } from './campaign.js';

test('300 sends through every trouble and three kills end each sent once or named with its reason', () =>
  runCampaign(300, 3, 1));
