import { expect, test } from 'vitest';
import { carryOutOnceThroughKills } from './kills.js';

test('100 keys of messages and events are carried out once each or named, through kills, stops, a store that hangs and a fetch that misbehaves', async () => {
  const troubles = { keys: 100, offers: 2, kills: 3, stops: 3, restarts: 0, parts: 1, seed: 1 };
  expect(await carryOutOnceThroughKills('redis', troubles)).toMatchObject({ kills: 3 });
});
