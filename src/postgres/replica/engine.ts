import { atMost } from '../../foundation/clock.js';
import { isObject } from '../../foundation/is-object.js';
import { machineClock } from '../../server/time/machine-clock.js';
import type { Database } from '../database/connection.js';
import { jobsSchemaOf } from '../database/text.js';
import { parseDueWork } from '../records/schedule.js';
import { asPool, EnginePool } from './engine-pool.js';
import type { ReplicaParts } from './replica-parts.js';

/** A job ends at once, so a few at a time are enough. */
const concurrency = 4;

/** How often to poll for due jobs, in milliseconds. New jobs send a notification. */
const pollInterval = 500;

/** How long stopping may take, in milliseconds. */
const longestStop = 2_000;

const notRunning = async () => {};

/** Runs the jobs. A job only reports due work to the server, which does the work. */
export class Engine {
  readonly #parts: ReplicaParts;
  #stop = notRunning;
  #turn: Promise<void> = Promise.resolve();
  #isEnded = false;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
  }

  /** Starts or restarts. */
  start(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#stop();
      this.#stop = this.#isEnded ? notRunning : await this.#run();
    });
  }

  /** Stops permanently. */
  end(): Promise<void> {
    this.#isEnded = true;
    return this.#inTurn(() => this.#stop());
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(step);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Returns what stops it. */
  async #run(): Promise<() => Promise<void>> {
    const { database, listeners, counters } = this.#parts;
    const { runTaskList } = await loadWorker();
    const pool = new EnginePool(database);
    if (!asPool(pool)) throw new TypeError('The engine needs a pool.');
    const due = (payload: unknown) => {
      counters.jobs += 1;
      const found = isObject(payload) ? parseDueWork(payload) : undefined;
      if (found !== undefined) listeners.onDue(found.workspaceId, found.work);
    };
    const workers = runTaskList(
      { ...(await sharedOptions(database)), concurrency, pollInterval },
      { due },
      pool,
    );
    workers.promise.catch((error: unknown) => listeners.onFailure(error));
    return () => {
      pool.close();
      return atMost(
        machineClock,
        longestStop,
        Promise.resolve(workers.gracefulShutdown()).catch(() => {}),
        () => {},
      );
    };
  }
}

/** Creates or migrates the schema of the jobs. */
export async function prepareJobs(database: Database): Promise<void> {
  const { runMigrations } = await loadWorker();
  const pool = new EnginePool(database);
  if (asPool(pool)) await runMigrations({ ...(await sharedOptions(database)), pgPool: pool, taskList: {} });
}

async function sharedOptions(database: Database) {
  const { Logger } = await loadWorker();
  return {
    schema: jobsSchemaOf(database.schemaName),
    noHandleSignals: true,
    // The server reports outages itself.
    logger: new Logger(() => () => {}),
  };
}

async function loadWorker() {
  try {
    return await import('graphile-worker');
  } catch (cause) {
    throw new Error(
      'A store in PostgreSQL needs the package "graphile-worker", which is not installed. Run: npm install pg graphile-worker',
      { cause },
    );
  }
}
