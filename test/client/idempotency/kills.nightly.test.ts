import { test } from 'vitest';
import { carryOutOnceThroughKills } from './kills.js';

const seed = Number(process.env.IDEMPOTENCY_SEED ?? Math.trunc(Math.random() * 2 ** 31));

test.each(['redis', 'postgres'] as const)(
  `5,000 keys of messages and events, offered five times each, are carried out once each or named over %s that restarts: IDEMPOTENCY_SEED=${seed}`,
  // Dozens of processes start and are killed; a busy machine takes minutes.
  { timeout: 1_800_000 },
  async (store) => {
    const troubles = { keys: 5_000, offers: 5, kills: 20, stops: 10, restarts: 5, parts: 10, seed };
    const happened = await carryOutOnceThroughKills(store, troubles);
    process.stdout.write(`${store}: ${JSON.stringify({ seed, ...happened })}\n`);
  },
);
