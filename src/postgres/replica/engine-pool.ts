import type { runTaskList } from 'graphile-worker';
import type { Database } from '../database/connection.js';
import { isLostConnection } from '../database/lost-connection.js';
import type { PostgresClient } from '../options.js';

interface Query {
  readonly text: string;
  readonly values?: unknown[];
  readonly name?: string;
}

type Connected = (
  error: unknown,
  client?: PostgresClient,
  release?: (error?: Error | boolean) => void,
) => void;

const nothing = { rows: [], rowCount: 0 };

/**
 * What graphile-worker uses of a pool, so made that an outage harms nothing.
 *
 * It does not wait for the query that deletes a job which has run. If that fails, nobody handles the error, and it would end
 * the process: here it fails in silence, and the job is deleted later. The errors of lost connections are without their codes:
 * for some, the engine would wait for minutes, and closing would wait with it.
 */
export class EnginePool {
  readonly options = { max: 10 };
  readonly #database: Database;
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  connect(connected?: Connected): unknown {
    if (connected === undefined) return Promise.resolve(new EngineClient(this.#database, () => this.#closed));
    this.#database.connect().then(
      (client) => connected(undefined, client, (error) => client.release(error)),
      (error: unknown) => connected(asError(error)),
    );
    return undefined;
  }

  /** From now on there are no jobs, and no errors. */
  close(): void {
    this.#closed = true;
  }

  /** It asks whether anybody hears of errors: the database does. */
  listeners(): readonly unknown[] {
    return [() => {}];
  }
}

/** Connects at its first query. */
class EngineClient {
  readonly #database: Database;
  readonly #isClosed: () => boolean;
  #client: Promise<PostgresClient> | undefined;
  #isBroken = false;

  constructor(database: Database, isClosed: () => boolean) {
    this.#database = database;
    this.#isClosed = isClosed;
  }

  async query(query: Query | string, values?: unknown[]): Promise<unknown> {
    const statement = typeof query === 'string' ? { text: query, ...(values && { values }) } : query;
    if (this.#isClosed() && !isDeletion(statement)) return nothing;
    try {
      this.#client ??= this.#database.connect();
      return await (await this.#client).query(statement);
    } catch (error) {
      this.#isBroken ||= isLostConnection(error);
      if (isDeletion(statement) || this.#isClosed()) return nothing;
      throw asError(error);
    }
  }

  async release(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    client?.release(this.#isBroken);
  }
}

function isDeletion({ text }: Query): boolean {
  return /^\s*delete\s/i.test(text);
}

function asError(error: unknown): unknown {
  return isLostConnection(error)
    ? new Error('The connection to the database was lost.', { cause: error })
    : error;
}

/** Its types ask for the class. */
export function asPool(pool: object): pool is Parameters<typeof runTaskList>[2] {
  return 'connect' in pool;
}
