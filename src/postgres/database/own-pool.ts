import { steadyTime } from '../../foundation/clock.js';
import { machineClock } from '../../server/time/machine-clock.js';
import type { PostgresClient, PostgresPool } from '../options.js';
import { hasNoConnectionLeft, isWaitTooLong } from './errors.js';

/** How long to wait for a connection, in milliseconds. */
export const longestConnecting = 5_000;

/** How often to ask PostgreSQL whether it has a connection again, while it has none. In milliseconds. */
const askedEvery = 250;

/** A pool of `pg`, as far as this file uses it. */
interface SizedPool extends PostgresPool {
  readonly options: { max: number };
  readonly totalCount: number;
  readonly waitingCount: number;
}

/** Creates a pool of `pg`. Loads `pg` only here, because users with their own pool, or with no such store, do not need it. */
export async function makePool(connectionString: string, max: number): Promise<OwnPool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error(
      'A store in PostgreSQL needs the package "pg", which is not installed. Run: npm install pg graphile-worker',
      { cause },
    );
  });
  const pool = new pg.Pool({
    connectionString,
    max,
    application_name: 'messaging-automation',
    connectionTimeoutMillis: longestConnecting,
    keepAlive: true,
  });
  return new OwnPool(pool, max);
}

/**
 * A pool that waits for one of its own connections where PostgreSQL has no further one. A pool of `pg` fails at once: this one lowers its
 * size to what it has, so that calls wait in its queue, and asks from time to time for more.
 */
export class OwnPool implements PostgresPool {
  readonly #pool: SizedPool;
  readonly #most: number;
  /** Why the pool has fewer connections than it may have, while that is so. */
  #shortage: unknown;
  #cancelAsking = () => {};

  constructor(pool: SizedPool, most: number) {
    this.#pool = pool;
    this.#most = most;
  }

  get totalCount(): number {
    return this.#pool.totalCount;
  }

  get idleCount(): unknown {
    return Reflect.get(this.#pool, 'idleCount');
  }

  get waitingCount(): number {
    return this.#pool.waitingCount;
  }

  async connect(): Promise<PostgresClient> {
    const end = steadyTime(machineClock) + longestConnecting;
    for (;;) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (isWaitTooLong(error)) throw this.#shortage ?? error;
        if (!hasNoConnectionLeft(error) || steadyTime(machineClock) >= end) throw error;
        // The next try waits in the queue of the pool.
        this.#shortage = error;
        this.#narrow();
      }
    }
  }

  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown;
  on(event: 'error' | 'connect', listener: (given: never) => void): unknown {
    return Reflect.apply(this.#pool.on, this.#pool, [event, listener]);
  }

  end(): Promise<void> {
    this.#cancelAsking();
    return this.#pool.end();
  }

  #narrow(): void {
    this.#pool.options.max = this.#pool.totalCount;
    this.#cancelAsking();
    this.#cancelAsking = machineClock.setTimer(() => void this.#ask(), askedEvery);
  }

  /** Asks for one more connection, which goes to the call that waits longest. */
  async #ask(): Promise<void> {
    const { options, totalCount } = this.#pool;
    options.max = this.#most;
    const asked = this.#pool.connect();
    // Else, should it fail, each call that waits would ask in turn.
    options.max = totalCount;
    try {
      const client = await asked;
      options.max = this.#most;
      this.#shortage = undefined;
      client.release();
      if (this.#pool.waitingCount > 0) await this.#ask();
    } catch (error) {
      if (hasNoConnectionLeft(error)) this.#narrow();
      else options.max = this.#most;
    }
  }
}
