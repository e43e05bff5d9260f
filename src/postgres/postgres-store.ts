import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { atMost, type Clock } from '../foundation/clock.js';
import { isObject } from '../foundation/is-object.js';
import { aText, aWholeNumber, checkOptions, hasMethods, type OptionChecks } from '../foundation/options.js';
import type { StoreHealth } from '../server/model/store-health.js';
import type { ReplicaListeners, ServerStore, SharedStore } from '../server/store/shared-store.js';
import { aDuration, isDuration, toMilliseconds } from '../server/time/duration.js';
import { machineClock } from '../server/time/machine-clock.js';
import { Database } from './database/connection.js';
import { fewestConnections } from './database/fewest-connections.js';
import { migrate } from './database/migrate.js';
import { isSchemaName, toText } from './database/text.js';
import type { PostgresStoreOptions } from './options.js';
import { PostgresRecords } from './records/postgres-records.js';
import { DatabaseTime } from './replica/database-time.js';
import { prepareJobs } from './replica/engine.js';
import { healthOf } from './replica/health.js';
import { OpenReplica } from './replica/open-replica.js';
import { noCounts } from './replica/replica-parts.js';
import { agesOf } from './replica/retention.js';

const defaultLease = '10s';

/** Shorter leases expire while a process is merely busy. In milliseconds. */
const shortestLease = 100;

/** How long `close` waits for a database that does not respond. In milliseconds. */
const longestClose = 5_000;

/** The limits of concurrent attempts to one subscription, so that a dead endpoint does not slow down the others. */
const running = { most: 16, whileFailing: 2 };

/**
 * Creates a store in PostgreSQL that several reference servers share. The servers are then replicas of one service. Pass the
 * store to `createReferenceServer` as `store`: the server opens it. It requires the packages `pg` and `graphile-worker`.
 *
 * @throws ConfigurationError if an option is invalid.
 * @example
 * ```ts
 * import { postgresStore } from 'messaging-automation/postgres';
 *
 * const store = postgresStore({ connectionString: 'postgres://user:password@database.internal/messaging' });
 * await store.close();
 * ```
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  return new PostgresStore(options) satisfies SharedStore;
}

/**
 * A store in PostgreSQL. `postgresStore` creates it.
 *
 * @example
 * ```ts
 * import { type PostgresStore, postgresStore } from 'messaging-automation/postgres';
 *
 * const store: PostgresStore = postgresStore({ connectionString: 'postgres://localhost/messaging', replica: 'blue' });
 * console.log(store.replica); // blue
 * ```
 */
export class PostgresStore implements ServerStore {
  /** The name of this replica, in logs. */
  readonly replica: string;
  /** Identifies this replica to the others, which may have the same name. */
  readonly #identity: string;
  #time = new DatabaseTime(machineClock);
  readonly #database: Database;
  /** @internal */
  readonly records: PostgresRecords;
  readonly #counters = noCounts();
  readonly #lease: number;
  readonly #ages: ReturnType<typeof agesOf>;
  #listeners: ReplicaListeners | undefined;
  #opening: Promise<OpenReplica> | undefined;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(options: PostgresStoreOptions) {
    checkOptions('postgresStore', options, checks);
    this.replica = options.replica ?? newReplicaName();
    this.#identity = toText(`${this.replica} ${randomUUID()}`);
    this.#lease = toMilliseconds(options.lease ?? defaultLease);
    this.#ages = agesOf(options.retention);
    this.#database = new Database(options);
    this.records = new PostgresRecords({
      database: this.#database,
      lease: this.#lease,
      replica: this.#identity,
      running,
      onFailure: (error) => {
        this.#counters.setAside += 1;
        this.#listeners?.onFailure(error);
      },
    });
  }

  /**
   * Creates the tables, or migrates those of an older version. A server calls it when it starts. Several processes can call it
   * at the same time.
   *
   * @throws Error if a newer version of the package created the tables, or PostgreSQL is too old or unreachable.
   */
  async migrate(): Promise<void> {
    try {
      await migrate(this.#database, () => prepareJobs(this.#database));
    } catch (error) {
      throw this.#database.failures.ofStart(error);
    }
  }

  /** Releases the claims of this replica, so that other replicas can take over its work at once, and disconnects. */
  close(): Promise<void> {
    this.#closing ??= atMost(machineClock, longestClose, this.#close(), () => {});
    return this.#closing;
  }

  /** @internal */
  timeBy(machine: Clock): Clock {
    this.#time = new DatabaseTime(machine);
    return this.#time;
  }

  /** @internal */
  async open(listeners: ReplicaListeners): Promise<void> {
    if (this.#closing !== undefined) throw new Error('The store is closed. Create another one.');
    if (this.#opening !== undefined) {
      throw new Error('The store is already open. Create one store for each server.');
    }
    this.#opening = this.#open(listeners);
    try {
      await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #open(listeners: ReplicaListeners): Promise<OpenReplica> {
    await this.migrate();
    if (this.#closing !== undefined)
      throw new Error('The store was closed while it opened. Create another one.');
    this.#listeners = listeners;
    this.#database.failures.onCause = (cause) => listeners.onFailure(cause);
    const replica = new OpenReplica({
      database: this.#database,
      time: this.#time,
      replica: this.#identity,
      lease: this.#lease,
      ages: this.#ages,
      counters: this.#counters,
      listeners,
      renew: () => this.records.renewLeases(),
    });
    await replica.open().catch((error: unknown) => {
      throw this.#database.failures.ofStart(error);
    });
    return replica;
  }

  /** @internal */
  health(): Promise<StoreHealth> {
    return healthOf(this.#database, machineClock, this.#lease, this.replica, this.#time.ahead);
  }

  /** @internal */
  counters(): Readonly<Record<string, number>> {
    return { ...this.#counters };
  }

  async #close(): Promise<void> {
    const replica = await this.#opening?.catch(() => undefined);
    await replica?.close();
    // If the database is unreachable, the claims expire with their leases.
    const lastSteps = [
      () => this.records.releaseAll(),
      () => this.records.endMoves(),
      () => this.#database.query('delete from :schema.replicas where name = $1', [this.#identity]),
    ];
    if (replica !== undefined) for (const step of lastSteps) await step().catch(() => {});
    await this.#database.close();
  }
}

/** Whether a pool has enough connections. If it has not, the store would wait for a connection for ever. */
function isWide(pool: unknown): boolean {
  const options: unknown = Reflect.get(Object(pool), 'options');
  const max = isObject(options) ? options.max : undefined;
  return hasMethods('connect', 'on')(pool) && (typeof max !== 'number' || max >= fewestConnections);
}

const checks: OptionChecks = {
  connectionString: aText,
  pool: [isWide, `a pool of the package pg whose max is ${fewestConnections} or more`],
  schema: [isSchemaName, 'a name of 1 to 58 bytes without NUL and $ that does not begin with pg_'],
  poolSize: aWholeNumber(1),
  lease: [
    (value) => isDuration(value) && toMilliseconds(value) >= shortestLease,
    `a duration of ${shortestLease}ms or more`,
  ],
  replica: aText,
  retention: [isObject, 'an object'],
  'retention.journal': aDuration,
  'retention.deliveries': aDuration,
  'retention.sends': aDuration,
  'retention.events': aDuration,
  'retention.journeyRuns': aDuration,
};

function newReplicaName(): string {
  return `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
}
