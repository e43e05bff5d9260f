import { setTimeout } from 'node:timers/promises';
import type { ReplicaListeners } from '../../server/store/shared-store.js';
import type { Database } from '../database/connection.js';
import type { PostgresRetention } from '../options.js';
import type { DatabaseTime } from './database-time.js';

/** The counts of each kind of occurrence since a replica started. */
export interface Counters {
  /** Jobs that reported due work. */
  jobs: number;
  /** Sweeps by this replica. */
  sweeps: number;
  /** Due work for which a sweep added a job: the deliveries of a subscription count as one. */
  sweptWork: number;
  /** Expired claims that a sweep found: their replica stopped or paused. */
  expiredClaims: number;
  /** Received notices of changes, including this replica's own. */
  notices: number;
  /** Reconnections of the connection that listens for notices. */
  reconnects: number;
  /** Records that were deleted to make room. */
  forgottenRecords: number;
  /** Rows that could not be read and were moved to the table `set_aside`. */
  setAside: number;
}

/** The counters of a replica that starts. */
export function noCounts(): Counters {
  return {
    jobs: 0,
    sweeps: 0,
    sweptWork: 0,
    expiredClaims: 0,
    notices: 0,
    reconnects: 0,
    forgottenRecords: 0,
    setAside: 0,
  };
}

/** Resolves after a time in milliseconds, or when the signal aborts. Resolves to whether the signal has not aborted. */
export function pause(length: number, signal: AbortSignal): Promise<boolean> {
  return setTimeout(length, true, { signal }).catch(() => false);
}

/** Repeats a task, with a pause in milliseconds before each run. Resolves when the signal has aborted and the last run has ended. */
export async function repeat(length: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
  while (await pause(length, signal)) await task();
}

/** How long each kind of finished records is kept, in milliseconds. */
export type Ages = Readonly<Record<keyof PostgresRetention, number>>;

/** What the background tasks of a replica work with. */
export interface ReplicaParts {
  readonly database: Database;
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
