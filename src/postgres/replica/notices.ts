import type { Clock } from '../../foundation/clock.js';
import { isObject } from '../../foundation/is-object.js';
import type { ChangedPart, ReplicaListeners } from '../../server/store/shared-store.js';
import type { Database } from '../database/connection.js';
import type { PostgresClient } from '../options.js';
import type { Counters } from './counters.js';

/** How long to wait before connecting again, in milliseconds. It doubles. */
const firstPause = 100;
const longestPause = 2_000;

/** How long the database may take to answer whether it is there, in milliseconds. */
const longestPing = 5_000;

const parts = new Set<string>(['conditions', 'journal', 'records', 'workspace'] satisfies ChangedPart[]);

export interface NoticesParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly listeners: ReplicaListeners;
  readonly counters: Counters;
  /** Called before the listeners hear that the database is back. */
  readonly onReturn: () => void;
}

/** Hears, on a connection of its own, what changes on any replica. */
export class Notices {
  readonly #parts: NoticesParts;
  /** Undefined while there is no connection. */
  #client: PostgresClient | undefined;
  #lose: (error: unknown) => void = () => {};
  #isClosed = false;
  #endPause = () => {};
  #following: Promise<void> = Promise.resolve();

  constructor(notices: NoticesParts) {
    this.#parts = notices;
  }

  /** Resolves when everything that changes from now on is told. */
  async open(): Promise<void> {
    this.#following = this.#follow(await this.#listen());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#lose(undefined);
    this.#endPause();
    await this.#following;
  }

  /** Finds a connection that was lost in silence. */
  async ping(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const query = { text: 'select', query_timeout: longestPing };
    try {
      await client.query(query);
    } catch (error) {
      if (client === this.#client) this.#lose(error);
    }
  }

  async #listen(): Promise<{ readonly client: PostgresClient; readonly lost: Promise<unknown> }> {
    const client = await this.#parts.database.connect();
    const lost = new Promise<unknown>((resolve) => {
      this.#lose = resolve;
      client.on('error', resolve);
    });
    client.on('notification', ({ payload }) => this.#receive(payload));
    try {
      await client.query({ text: `listen ${this.#parts.database.schema}` });
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#client = client;
    return { client, lost };
  }

  async #follow(first: Awaited<ReturnType<Notices['open']>> | { client: PostgresClient; lost: Promise<unknown> }) {
    void first;
  }

  #receive(payload: string | undefined): void {
    const { listeners, counters } = this.#parts;
    counters.add('notices');
    const notice = parseNotice(payload);
    if (notice === undefined) listeners.onReturn();
    else listeners.onChange(notice.workspaceId, notice.part);
  }
}
