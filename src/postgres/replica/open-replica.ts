import type { Clock } from '../../foundation/clock.js';
import { StoreBusyError, StoreUnavailableError } from '../../server/model/service-error.js';
import type { ReplicaListeners } from '../../server/store/shared-store.js';
import type { Database } from '../database/connection.js';
import { findNewer } from '../database/migrate.js';
import { numberIn } from '../database/rows.js';
import type { Counters } from './counters.js';
import type { DatabaseTime } from './database-time.js';
import { Engine } from './engine.js';
import { Notices } from './notices.js';
import { Repeated } from './repeated.js';
import { type Ages, forgetOld } from './retention.js';
import { sweep } from './sweep.js';

/** The pause between two batches of deletions. In milliseconds. */
const pauseOfRetention = 50;

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

/** The background tasks of a replica: receiving notices, running jobs, renewing leases, sweeping and deleting old records. */
export class OpenReplica {
  readonly #parts: ReplicaParts;
  readonly #notices: Notices;
  readonly #engine: Engine;
  readonly #chores: readonly Repeated[];
  #isClosed = false;
  #endPause = () => {};

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    const { clock, lease } = parts;
    this.#engine = new Engine(parts);
    // Restart the engine after an outage, because it keeps state of the lost connection.
    this.#notices = new Notices({ ...parts, onReturn: () => this.#inBackground(() => this.#engine.start()) });
    const often = lease / 4;
    this.#chores = [
      () => this.#renew(),
      () => sweep(parts.database, often, parts.counters),
      () => this.#notices.ping(),
      () => this.#forget(),
    ].map((chore) => new Repeated(clock, often, () => this.#inBackground(chore)));
  }

  async open(): Promise<void> {
    try {
      await this.#renew();
      await this.#notices.open();
      await this.#engine.start();
    } catch (error) {
      await this.close();
      throw error;
    }
    for (const chore of this.#chores) chore.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endPause();
    await Promise.all(this.#chores.map((chore) => chore.end()));
    await this.#notices.close();
    await this.#engine.end();
  }

  async #renew(): Promise<void> {
    const { database, replica, renew, time, listeners } = this.#parts;
    const newer = await findNewer(database);
    if (newer !== undefined) {
      listeners.onFailure(newer);
      database.refuse(newer);
      return;
    }
    await renew();
    const difference = await time.compare(async () => {
      const [row] = await database.query(
        `
insert into :schema.replicas (name, seen_at) values ($1, clock_timestamp())
on conflict (name) do update set seen_at = excluded.seen_at
returning extract(epoch from clock_timestamp())::double precision * 1000 as now`,
        [replica],
        'seen',
      );
      return numberIn(row, 'now');
    });
    if (difference !== undefined) listeners.onFailure(difference);
  }

  #forget(): Promise<void> {
    const { database, ages, counters } = this.#parts;
    return forgetOld(
      database,
      ages,
      () => this.#pause(),
      (count) => counters.add('forgottenRecords', count),
    );
  }

  async #pause(): Promise<boolean> {
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.clock.setTimer(resolve, pauseOfRetention);
      this.#endPause = () => {
        cancel();
        resolve();
      };
      if (this.#isClosed) this.#endPause();
    });
    return !this.#isClosed;
  }

  /** Runs a task and reports its error, except an unreachable database, which the notices report once. */
  async #inBackground(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      const isOutage = error instanceof StoreUnavailableError && !(error instanceof StoreBusyError);
      if (this.#isClosed || isOutage) return;
      this.#parts.listeners.onFailure(error instanceof StoreBusyError ? error.cause : error);
    }
  }
}
