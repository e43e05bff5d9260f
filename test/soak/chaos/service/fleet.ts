import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresServer } from '../../../run/postgres-server.js';
import type { Incident } from '../accounting/posts.js';
import type { Disruption } from '../disruptions.js';
import { applicationName, type Replica } from './replica.js';

/** How long a replica can take to connect to its database. In milliseconds. */
const defaultTimeToConnect = 20_000;

/** How often to check whether a replica has connected. In milliseconds. */
const connectionsCheckedEvery = 100;

/** The replicas of the service and their database, and what was done to them. */
export class Fleet {
  readonly replicas: readonly Replica[];
  readonly database: PostgresServer | undefined;
  readonly #timeToConnect: number;
  readonly incidents: Incident[] = [];
  readonly problems: string[] = [];
  /** What is done to one replica, or to the database, one after the other: a replica may need longer to be back than planned. */
  readonly #turns = new Map<number | 'database', Promise<void>>();

  constructor(
    replicas: readonly Replica[],
    database: PostgresServer | undefined,
    timeToConnect = defaultTimeToConnect,
  ) {
    this.replicas = replicas;
    this.database = database;
    this.#timeToConnect = timeToConnect;
    // Its sessions end with the database.
    database?.pool.on('error', () => {});
  }

  /** Carries a disruption out, until what it has taken away is back. */
  async disrupt(disruption: Disruption): Promise<void> {
    try {
      if (disruption.kind === 'restart database') {
        await this.#inTurn('database', () =>
          this.#restartDatabase(disruption.downFor, this.#begin(disruption.kind)),
        );
      } else {
        const { kind, replica } = disruption;
        await this.#inTurn(replica, () => this.#disruptReplica(disruption, this.#begin(kind, replica)));
      }
    } catch (error) {
      this.problems.push(`${disruption.kind}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Writes down what happens, and gives what to call when it is over. */
  #begin(kind: Incident['kind'], replica?: number): () => void {
    const incident: { -readonly [Name in keyof Incident]: Incident[Name] } = {
      kind,
      replica,
      from: Date.now(),
      until: Number.POSITIVE_INFINITY,
    };
    this.incidents.push(incident);
    return () => {
      incident.until = Date.now();
    };
  }

  async #disruptReplica(
    disruption: Exclude<Disruption, { kind: 'restart database' }>,
    isOver: () => void,
  ): Promise<void> {
    const replica = this.replicas[disruption.replica];
    if (replica === undefined) throw new RangeError(`There is no replica ${disruption.replica}.`);
    switch (disruption.kind) {
      case 'kill':
        await replica.kill();
        isOver();
        await wait(disruption.downFor);
        return replica.start();
      case 'terminate':
        await replica.terminate();
        isOver();
        await wait(disruption.downFor);
        return replica.start();
      case 'stop':
        replica.stop();
        await wait(disruption.stoppedFor);
        replica.continue();
        return isOver();
      case 'cut connections':
        return this.#inTurn('database', async () => {
          await this.#cutConnections(disruption.replica);
          isOver();
        });
    }
  }

  async #restartDatabase(downFor: number, isOver: () => void): Promise<void> {
    const { database } = this;
    if (database === undefined) throw new Error('There is no database.');
    await database.end('SIGQUIT');
    await wait(downFor);
    await database.start();
    isOver();
  }

  #inTurn(whose: number | 'database', action: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(whose) ?? Promise.resolve()).then(action);
    this.#turns.set(
      whose,
      turn.catch(() => {}),
    );
    return turn;
  }

  /** Ends the sessions of a replica. Right after a restart of the database, the replica may not have connected yet. */
  async #cutConnections(replica: number): Promise<void> {
    const endsAt = performance.now() + this.#timeToConnect;
    for (;;) {
      const { rowCount } = (await this.database?.pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
        [applicationName(replica)],
      )) ?? { rowCount: 0 };
      if (rowCount !== 0) return;
      if (performance.now() > endsAt)
        throw new Error(`replica ${replica + 1} has no session that could be cut`);
      await wait(connectionsCheckedEvery);
    }
  }
}
