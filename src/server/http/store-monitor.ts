import type { StoreHealth } from '../model/store-health.js';

/** The part of a shared store that reports its health and counts. */
export interface StoreMonitor {
  /** Returns the health. Always resolves, within a short timeout. */
  health(): Promise<StoreHealth>;
  /** Returns the number of occurrences of each kind since this replica started. */
  counters(): Readonly<Record<string, number>>;
}
