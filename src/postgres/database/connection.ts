import { ConfigurationError } from '../../foundation/options.js';
import { StoreCause, StoreUnavailableError } from '../../server/model/service-error.js';
import { lookAgainAfter } from '../../server/time/machine-clock.js';
import type { PostgresClient, PostgresPool, PostgresStoreOptions } from '../options.js';
import { isGivenUp, isLostConnection, StoreFailures } from './errors.js';
import { longestConnecting, makePool } from './own-pool.js';
import { Shares } from './shares.js';
import { quoted } from './text.js';

/** How long a statement may take, in milliseconds. */
export const longestStatement = 10_000;

/** How often a transaction is tried if deadlocks abort it. */
const mostTries = 5;

/** The pause after the first try. The pause after each further try is longer by as much. In milliseconds. */
const pauseOfTries = 20;

/**
 * Sets what a role or a database can have other defaults for. A process that is paused in a transaction keeps its locks no longer
 * than the second timeout. No other schema comes before that of PostgreSQL, so functions of the same names do not run.
 */
const settings = {
  text: `
set statement_timeout = ${longestStatement};
set idle_in_transaction_session_timeout = ${longestStatement};
set lock_timeout = 0;
set default_transaction_isolation = 'read committed';
set search_path = pg_catalog, pg_temp`,
  query_timeout: longestConnecting,
};

/** Longer than the statement timeout of the database. It ends a statement if the database does not respond at all. */
const longestSilence = longestStatement + 2_000;

const defaultPoolSize = 10;

/** The number of connections of a replica that only listen: one for notices, one for jobs. */
export const listeners = 2;

/** Runs statements: the database, or a transaction in it. */
export interface Queryable {
  /**
   * Runs one statement and returns its rows. `:schema` in the text is replaced by the schema. In a pool that the store created,
   * each connection prepares a statement with a `name` only once.
   *
   * @throws StoreUnavailableError if the connection is lost or refused, StoreBusyError if the database stops the statement,
   * StoreRefusedError if it would refuse the statement again.
   */
  query(text: string, values?: readonly unknown[], name?: string): Promise<readonly unknown[]>;
}

/** Runs statements and transactions: the database, or the part of it that one workspace uses. */
export type Statements = Pick<Database, 'query' | 'transaction'>;

/** A database with a pool of connections. It connects at its first use. */
export class Database implements Queryable {
  /** The schema's name as an identifier of SQL, in quotes. */
  readonly schema: string;
  /** The schema's name without quotes. */
  readonly schemaName: string;
  readonly failures = new StoreFailures();
  readonly #options: PostgresStoreOptions;
  readonly #listenedTo = new WeakSet<object>();
  readonly #configured = new WeakSet<PostgresClient>();
  readonly #statements = new Map<string, Statement>();
  readonly #shares: Shares;
  #pool: Promise<PostgresPool> | undefined;
  #refusal: StoreUnavailableError | undefined;

  constructor(options: PostgresStoreOptions) {
    if ((options.connectionString === undefined) === (options.pool === undefined)) {
      throw new ConfigurationError('postgresStore: pass a connectionString or a pool, not both.');
    }
    this.#options = options;
    this.#shares = new Shares(Math.ceil((options.poolSize ?? defaultPoolSize) / 2), longestStatement);
    this.schemaName = options.schema ?? 'messaging_automation';
    this.schema = quoted(this.schemaName);
  }

  /** The pool: the given one, or its own. */
  pool(): Promise<PostgresPool> {
    this.#pool ??= this.#openPool().catch((error: unknown) => {
      this.#pool = undefined;
      throw error;
    });
    return this.#pool;
  }

  /** Returns a connection. The caller must call its `release`. */
  async connect(): Promise<PostgresClient> {
    const client = await this.connectAsIs();
    // Settings of a connection, because a pooler refuses those of a start that it does not know.
    if (this.#options.pool !== undefined || this.#configured.has(client)) return client;
    try {
      await client.query(settings);
      this.#configured.add(client);
      return client;
    } catch (error) {
      client.release(true);
      throw this.failures.ofConnecting(error);
    }
  }

  /** Returns a connection without the settings of the store. The caller must call its `release`. */
  async connectAsIs(): Promise<PostgresClient> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const pool = await this.pool();
    try {
      const client = await pool.connect();
      this.#listenTo(client);
      return client;
    } catch (error) {
      throw this.failures.ofConnecting(error);
    }
  }

  query(text: string, values: readonly unknown[] = [], name?: string): Promise<readonly unknown[]> {
    const statement = this.#statementOf(text, name);
    return this.#repeatedly(() => this.#withClient((client) => run(client, statement, values)));
  }

  /**
   * Runs the work in one transaction. Repeats it if the database aborts it in favor of another one. `work` must not do
   * anything slow.
   */
  transaction<Result>(
    work: (transaction: Queryable) => Promise<Result>,
    isolation: 'read committed' | 'repeatable read' = 'read committed',
  ): Promise<Result> {
    return this.#repeatedly(() =>
      this.#withClient(async (client) => {
        await run(client, { text: `begin isolation level ${isolation}` }, []);
        try {
          const result = await work({
            query: (text, values = [], name) => run(client, this.#statementOf(text, name), values),
          });
          await run(client, { text: 'commit' }, []);
          return result;
        } catch (error) {
          if (!isLostConnection(error)) await run(client, { text: 'rollback' }, []);
          throw error;
        }
      }),
    );
  }

  /** Returns what runs the statements of a workspace, which use at most half of the connections at once. */
  of(workspaceId: string): Statements {
    return {
      query: (...given) => this.#shares.run(workspaceId, () => this.query(...given)),
      transaction: (...given) => this.#shares.run(workspaceId, () => this.transaction(...given)),
    };
  }

  /** Refuses further connections, because the code of this process is too old for the schema. */
  refuse(cause: Error): void {
    this.#refusal = new StoreUnavailableError(
      'This server is older than its database, which a newer version has updated. Restart it with that version.',
    );
    this.#refusal.cause = cause;
    const { message } = this.#refusal;
    this.#refusal.reason = new StoreCause({ code: 'newer', message, inPublic: message });
  }

  /** Disconnects. A given pool stays open. */
  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    if (this.#options.pool === undefined) await pool?.end();
  }

  async #openPool(): Promise<PostgresPool> {
    const { pool: given, connectionString = '', poolSize = defaultPoolSize } = this.#options;
    const pool = given ?? (await makePool(connectionString, poolSize + listeners));
    this.#listenTo(pool);
    // Listen before anyone gets the connection, because it can break while it is being completed.
    pool.on('connect', (client) => this.#listenTo(client));
    return pool;
  }

  async #withClient<Result>(work: (client: PostgresClient) => Promise<Result>): Promise<Result> {
    const client = await this.connect();
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = isLostConnection(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async #repeatedly<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (tries === mostTries || !isGivenUp(error)) throw this.failures.ofStatement(error);
        await lookAgainAfter(tries * pauseOfTries);
      }
    }
  }

  /** Ignores `error` events, because one without a listener ends the process. The user of the connection gets the error anyway. */
  #listenTo(emitter: PostgresPool | PostgresClient): void {
    if (this.#listenedTo.has(emitter)) return;
    this.#listenedTo.add(emitter);
    emitter.on('error', () => {});
  }

  /**
   * Only prepares statements on a pool that the store created. The connections of another pool may be shared with a program that
   * uses the same names.
   */
  #statementOf(text: string, name: string | undefined): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const inSchema = text.replaceAll(':schema', this.schema);
    if (name === undefined || this.#options.pool !== undefined) return { text: inSchema };
    const statement = { text: inSchema, name: `${name}_${this.#statements.size}` };
    this.#statements.set(text, statement);
    return statement;
  }
}

interface Statement {
  readonly text: string;
  readonly name?: string;
}

async function run(
  client: PostgresClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  const query = { ...statement, values: [...values], query_timeout: longestSilence };
  return (await client.query(query)).rows;
}
