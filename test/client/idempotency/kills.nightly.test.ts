import { test } from 'vitest';
import { sendOnceThroughKills } from './kills.js';

const seed = Number(process.env.IDEMPOTENCY_SEED ?? Math.trunc(Math.random() * 2 ** 31));

test.each(['redis', 'postgres'] as const)(
  `5,000 keys, offered five times each, are sent once each or named over %s that restarts: IDEMPOTENCY_SEED=${seed}`,
  // Dozens of processes start and are killed; a busy machine takes minutes.
  { timeout: 900_000 },
  (store) => sendOnceThroughKills(store, { keys: 5_000, offers: 5, kills: 20, restarts: 5, seed }),
);
