import type { ChangedPart } from '../../server/store/shared-store.js';
import { fromText } from '../database/text.js';
import type { PostgresClient } from '../options.js';
import { pause, type ReplicaParts } from './replica-parts.js';

/** The first wait before reconnecting, in milliseconds. Each further wait doubles. */
const firstPause = 100;
const longestPause = 500;

/** The timeout of a ping, and of the start of listening. In milliseconds. */
const longestPing = 5_000;

const parts: readonly ChangedPart[] = ['settings', 'journal', 'workspace'];

interface NoticesParts extends ReplicaParts {
  /** Called before the listeners learn that the database is reachable again. */
  readonly onReturn: () => void;
  readonly closing: AbortSignal;
}

/** Receives notices of changes by any replica, on a separate connection. */
export class Notices {
  readonly #parts: NoticesParts;
  /** Undefined while there is no connection. */
  #client: PostgresClient | undefined;
  #lose: (error: unknown) => void = () => {};
  #following: Promise<void> = Promise.resolve();

  constructor(notices: NoticesParts) {
    this.#parts = notices;
  }

  /** Connects. Resolves when all further changes are reported. */
  async open(): Promise<void> {
    const first = await this.#listen();
    this.#following = this.#follow(first);
  }

  /** Resolves when the connection is closed. */
  async closed(): Promise<void> {
    this.#lose(undefined);
    await this.#following;
  }

  /** Detects a connection that broke without an error: listens again, which changes nothing on one that works. */
  async ping(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    await this.#listenOn(client).catch((error: unknown) => {
      if (client === this.#client) this.#lose(error);
    });
  }

  #listenOn(client: PostgresClient): Promise<unknown> {
    const query = { text: `listen ${this.#parts.database.schema}`, query_timeout: longestPing };
    return client.query(query);
  }

  async #listen(): Promise<Listening> {
    const { database } = this.#parts;
    const client = await database.connect();
    const lost = new Promise<unknown>((resolve) => {
      this.#lose = resolve;
      client.on('error', resolve);
    });
    client.on('notification', ({ payload }) => this.#receive(payload));
    try {
      await this.#listenOn(client);
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#client = client;
    return { client, lost };
  }

  async #follow(first: Listening): Promise<void> {
    const { database, listeners, counters, onReturn } = this.#parts;
    for (let listening: Listening | undefined = first; listening !== undefined; ) {
      const reason = await listening.lost;
      this.#client = undefined;
      listening.client.release(true);
      if (this.#parts.closing.aborted) return;
      database.failures.ofLoss(reason);
      listening = await this.#listenAgain();
      if (listening === undefined) return;
      counters.reconnects += 1;
      onReturn();
      listeners.onReturn();
    }
  }

  /** Reconnects. Undefined if the notices were closed in the meantime. */
  async #listenAgain(): Promise<Listening | undefined> {
    const { closing } = this.#parts;
    let length = firstPause;
    while (await pause(length, closing)) {
      length = Math.min(length * 2, longestPause);
      const listening = await this.#listen().catch(() => undefined);
      if (listening === undefined) continue;
      if (!closing.aborted) return listening;
      listening.client.release(true);
    }
    return undefined;
  }

  #receive(payload: string | undefined): void {
    if (this.#parts.closing.aborted) return;
    const { listeners, counters } = this.#parts;
    counters.notices += 1;
    const notice = parseNotice(payload);
    if (notice === undefined) listeners.onReturn();
    else listeners.onChange(notice.workspaceId, notice.part);
  }
}

interface Listening {
  readonly client: PostgresClient;
  /** Resolves with the reason. */
  readonly lost: Promise<unknown>;
}

/** Parses a notice. Undefined if anything may have changed: the id was too long for the notice, or another program sent it. */
function parseNotice(payload = ''): { readonly workspaceId: string; readonly part: ChangedPart } | undefined {
  try {
    const [workspaceId, name]: unknown[] = JSON.parse(payload);
    const part = parts.find((each) => each === name);
    if (typeof workspaceId !== 'string' || part === undefined) return undefined;
    return { workspaceId: fromText(workspaceId), part };
  } catch {
    return undefined;
  }
}
