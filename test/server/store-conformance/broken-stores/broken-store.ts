import type { Lease } from '../../../../src/server/store/memory/claims.js';
import type { Store } from '../../../../src/server/store/store.js';

/** What a store does wrong, the promise that this breaks, and the store. */
export type BrokenStore = readonly [wrong: string, promise: string, create: (lease: Lease) => Store];
