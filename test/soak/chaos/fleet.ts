import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresServer } from '../../run/postgres-server.js';
import type { Incident } from '../accounting/posts.js';
import type { Disruption, DisruptionKind } from './disruptions.js';
import { applicationName, type Replica } from './replica.js';

/** How long a replica can take to connect to its database. In milliseconds. */
const timeToConnect = 20_000;

/** The replicas of the service and their database, and what was done to them. */
export class Fleet {
  readonly incidents: Incident[] = [];
  readonly problems: string[] = [];
  readonly #replicas: readonly Replica[];
  readonly #database: PostgresServer;
  /** What is done to one replica, or to the database, one after the other: a replica may need longer to be back than planned. */
  readonly #turns = new Map<number | 'database', Promise<void>>();

  constructor(replicas: readonly Replica[], database: PostgresServer) {
    this.#replicas = replicas;
    this.#database = database;
    // Its sessions end with the database.
    database.pool.on('error', () => {});
  }

  /** Carries a disruption out, until what it took away is back. */
  async disrupt({ kind, replica, lasts }: Disruption): Promise<void> {
    const turn = replica ?? 'database';
    try {
      await this.#inTurn(turn, async () => {
        const isOver = this.#incidentBegins(kind, replica);
        if (replica !== undefined) await this.#disruptReplica(kind, replica, lasts, isOver);
        else await this.#restartDatabase(lasts, isOver);
      });
    } catch (error) {
      this.problems.push(`${kind}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /**
   * Backs the database up, and lets it crash later and go on from the backup.
   *
   * @param meanwhile - Resolves when the database is to go back. What was done until then is undone.
   */
  async restoreBackup(meanwhile: () => Promise<void>): Promise<void> {
    await this.#inTurn('database', async () => {
      const isOver = this.#incidentBegins('restore backup', undefined);
      const restore = await this.#database.backUp();
      await meanwhile();
      await restore();
      isOver();
    });
  }

  /** Ends every replica, the first without a chance to hand back what it holds, and starts them all with the version of `dist/`. */
  async upgrade(): Promise<void> {
    const isOver = this.#incidentBegins('upgrade', undefined);
    let running = this.#replicas.length;
    let allEnd = () => {};
    const allEnded = new Promise<void>((resolve) => {
      allEnd = resolve;
    });
    await Promise.all(
      this.#replicas.map((replica, number) =>
        this.#inTurn(number, async () => {
          await replica.end(number === 0 ? 'SIGKILL' : 'SIGTERM');
          running -= 1;
          if (running === 0) allEnd();
          await allEnded;
          replica.upgrade();
          await replica.start();
        }),
      ),
    );
    isOver();
  }

  /** Adds an incident, and returns what ends it. */
  #incidentBegins(kind: DisruptionKind, replica: number | undefined): () => void {
    const from = Date.now();
    const index = this.incidents.push({ kind, replica, from, until: Number.POSITIVE_INFINITY }) - 1;
    return () => {
      this.incidents[index] = { kind, replica, from, until: Date.now() };
    };
  }

  async #disruptReplica(
    kind: Disruption['kind'],
    number: number,
    lasts: number,
    isOver: () => void,
  ): Promise<void> {
    const replica = this.#replicas[number];
    if (replica === undefined) throw new RangeError(`There is no replica ${number}.`);
    if (kind === 'cut connections') {
      await this.#inTurn('database', () => this.#cutConnections(number));
      isOver();
    } else if (kind === 'stop') {
      replica.signal('SIGSTOP');
      await wait(lasts);
      replica.signal('SIGCONT');
      isOver();
    } else {
      await replica.end(kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
      isOver();
      await wait(lasts);
      await replica.start();
    }
  }

  async #restartDatabase(lasts: number, isOver: () => void): Promise<void> {
    await this.#database.end('SIGQUIT');
    await wait(lasts);
    await this.#database.start();
    isOver();
  }

  #inTurn(turn: number | 'database', action: () => Promise<void>): Promise<void> {
    const done = (this.#turns.get(turn) ?? Promise.resolve()).then(action);
    this.#turns.set(
      turn,
      done.catch(() => {}),
    );
    return done;
  }

  /** Ends the sessions of a replica. Right after a restart of the database, the replica may not have connected yet. */
  async #cutConnections(replica: number): Promise<void> {
    const endsAt = performance.now() + timeToConnect;
    for (;;) {
      const cut = await this.#database.pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
        [applicationName(replica)],
      );
      if (cut.rowCount !== 0) return;
      if (performance.now() > endsAt) throw new Error(`replica ${replica + 1} has no session to cut`);
      await wait(100);
    }
  }
}
