import { test } from 'vitest';
import { sendOnceThroughKills } from './kills.js';

test('100 keys, offered by three processes of which four are killed, are sent once each or named', () =>
  sendOnceThroughKills('redis', { keys: 100, offers: 3, kills: 4, restarts: 0, seed: 1 }));
