import type { runTaskList } from 'graphile-worker';
import type { Database } from '../database/connection.js';
import { isLostConnection } from '../database/errors.js';
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
 * A pool for graphile-worker that makes outages harmless.
 *
 * graphile-worker does not await the query that deletes a finished job. If that query failed, the unhandled rejection would end
 * the process. Here it fails silently, and the job is deleted later. The pool also removes the codes from the errors of lost
 * connections, because graphile-worker waits for minutes after some of them, and closing would wait too.
 */
export class EnginePool {
  readonly options = { max: 10 };
  readonly #database: Pick<Database, 'connect'>;
  #closed = false;

  constructor(database: Pick<Database, 'connect'>) {
    this.#database = database;
  }

  connect(connected?: Connected): unknown {
    if (connected === undefined) return Promise.resolve(new EngineClient(this.#database, () => this.#closed));
    this.#database.connect().then(
      (client) => connected(undefined, client, releaseOnce(client)),
      (error: unknown) => connected(asError(error)),
    );
    return undefined;
  }

  /** After this call, the pool returns no jobs and no errors. */
  close(): void {
    this.#closed = true;
  }

  /** graphile-worker checks that the pool has error listeners. `Database` already listens. */
  listeners(): readonly unknown[] {
    return [() => {}];
  }
}

/**
 * graphile-worker releases a connection that is lost while the worker ends twice, and awaits neither. The error of the second would end the
 * process.
 */
function releaseOnce(client: PostgresClient): (error?: Error | boolean) => void {
  let isReleased = false;
  return (error) => {
    if (!isReleased) client.release(error);
    isReleased = true;
  };
}

/** Connects at its first query. */
class EngineClient {
  readonly #database: Pick<Database, 'connect'>;
  readonly #isClosed: () => boolean;
  #client: Promise<PostgresClient> | undefined;
  #isBroken = false;

  constructor(database: Pick<Database, 'connect'>, isClosed: () => boolean) {
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

/** Narrows the type, because graphile-worker's types require the class `Pool`. */
export function asPool(pool: object): pool is Parameters<typeof runTaskList>[2] {
  return 'connect' in pool;
}
