import type { StoreHealth } from '../model/store-health.js';

/** The part of a shared store that tells how it is. */
export interface StoreMonitor {
  /** Asks the store. Resolves in any case, and soon. */
  health(): Promise<StoreHealth>;
  /** How often what happened since this replica started. */
  counters(): Readonly<Record<string, number>>;
}
