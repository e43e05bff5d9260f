import type { Clock } from '../../foundation/clock.js';
import type { ReplicaListeners } from '../../server/store/shared-store.js';
import type { Database } from '../database/connection.js';
import type { Counters } from './counters.js';
import type { DatabaseTime } from './database-time.js';
import type { Ages } from './retention.js';

/** What the background tasks of a replica work with. */
export interface ReplicaParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly time: DatabaseTime;
  readonly replica: string;
  /** In milliseconds. */
  readonly lease: number;
  readonly ages: Ages;
  readonly counters: Counters;
  readonly listeners: ReplicaListeners;
  /** Renews the claims and the moves of this replica. */
  readonly renew: () => Promise<void>;
}
