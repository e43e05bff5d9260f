import { steadyTime } from '../../foundation/clock.js';
import { isTold } from '../../server/model/log.js';
import { machineClock } from '../../server/time/machine-clock.js';
import { newerIn } from '../database/migrate.js';
import { numberIn } from '../database/rows.js';
import type { Rest } from '../records/deletion.js';
import { Engine } from './engine.js';
import { Notices } from './notices.js';
import { pause, type ReplicaParts, repeat } from './replica-parts.js';
import { forgetOld } from './retention.js';
import { sweep } from './sweep.js';

/** A rest after a deletion is so many times as long as the deletion, so that it takes little from the requests. */
const restAfterDeletion = 3;

/** The background tasks of a replica: receiving notices, running jobs, renewing leases, sweeping and deleting old records. */
export class OpenReplica {
  readonly #parts: ReplicaParts;
  readonly #notices: Notices;
  readonly #engine: Engine;
  readonly #closing = new AbortController();
  #maintenance: readonly Promise<void>[] = [];

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    this.#engine = new Engine(parts);
    // Restart the engine after an outage, because it keeps state of the lost connection.
    const onReturn = () => this.#inBackground(() => this.#engine.start());
    this.#notices = new Notices({ ...parts, onReturn, closing: this.#closing.signal });
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
    const { database, lease, counters } = this.#parts;
    const often = lease / 4;
    this.#maintenance = [
      () => this.#renew(),
      () => sweep(database, often, counters, this.#restFor(often / 2)),
      () => this.#notices.ping(),
      () => this.#forget(),
    ].map((chore) => repeat(often, this.#closing.signal, () => this.#inBackground(chore)));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#maintenance);
    await this.#notices.closed();
    await this.#engine.end();
  }

  async #renew(): Promise<void> {
    const { database, replica, renew, time, listeners } = this.#parts;
    await renew();
    let newer: Error | undefined;
    const difference = await time.compare(async () => {
      const [row] = await database.query(
        `
insert into :schema.replicas (name, seen_at) values ($1, clock_timestamp())
on conflict (name) do update set seen_at = excluded.seen_at
returning
  extract(epoch from clock_timestamp())::double precision * 1000 as now,
  (select max(number) from :schema.migrations) as number,
  (select version from :schema.migrations order by number desc limit 1) as version`,
        [replica],
        'seen',
      );
      newer = newerIn(row, database.schema);
      return numberIn(row, 'now');
    });
    for (const warning of [newer, difference]) if (warning !== undefined) listeners.onFailure(warning);
    if (newer !== undefined) database.refuse(newer);
  }

  #forget(): Promise<void> {
    const { database, ages, counters } = this.#parts;
    return forgetOld(database, ages, this.#restFor(Number.POSITIVE_INFINITY), (count) => {
      counters.forgottenRecords += count;
    });
  }

  /** Rests between deletions, until so many milliseconds are over. */
  #restFor(limit: number): Rest {
    const end = steadyTime(machineClock) + limit;
    return async (took) =>
      steadyTime(machineClock) < end && pause(restAfterDeletion * took, this.#closing.signal);
  }

  /** Runs a task and reports its error. Those of the database it tells itself. */
  async #inBackground(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      if (this.#closing.signal.aborted || isTold(error)) return;
      this.#parts.listeners.onFailure(error);
    }
  }
}
