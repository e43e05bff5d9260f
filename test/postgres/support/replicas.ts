import { randomUUID } from 'node:crypto';
import { Client, Pool } from 'pg';
import { onTestFinished } from 'vitest';
import { type PostgresStore, type PostgresStoreOptions, postgresStore } from '../../../src/postgres/index.js';
import type { JournalEntry } from '../../../src/server/model/journal-entry.js';
import type { DeliveryRecord, JourneyRunRecord } from '../../../src/server/model/records.js';
import type {
  ChangedPart,
  DueWork,
  NewSharedWorkspace,
  ReplicaListeners,
  SettingsStore,
  StoredSettings,
} from '../../../src/server/store/shared-store.js';
import { within } from '../../waiting.js';
import type { PostgresAtHand } from './database.js';

/** How long a test waits for something that does happen, in milliseconds. */
const longestWait = 20_000;

/** The notices that a replica got, and a way to wait for one. */
export class Told implements ReplicaListeners {
  readonly due: (readonly [workspaceId: string, work: DueWork])[] = [];
  readonly changes: (readonly [workspaceId: string, changed: ChangedPart])[] = [];
  readonly failures: unknown[] = [];
  returns = 0;
  #waiting: (() => void)[] = [];

  readonly onDue = (workspaceId: string, work: DueWork) => {
    this.due.push([workspaceId, work]);
    this.#tell();
  };
  readonly onChange = (workspaceId: string, changed: ChangedPart) => {
    this.changes.push([workspaceId, changed]);
    this.#tell();
  };
  readonly onReturn = () => {
    this.returns += 1;
    this.#tell();
  };
  readonly onFailure = (error: unknown) => {
    this.failures.push(error);
    this.#tell();
  };

  /** Resolves when the replica got the notice that makes the condition hold. */
  async until(condition: (told: Told) => boolean, limit = longestWait): Promise<void> {
    const holds = async () => {
      while (!condition(this)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    };
    const told = ({ due, changes, failures, returns } = this) => {
      return { due, changes, failures: failures.map(String), returns };
    };
    await within(`a notice of ${condition} at a replica`, holds(), told, limit);
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Repeats a check until it holds. */
export async function untilItHolds(what: string, check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + longestWait;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`Waited in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** An entry of a journal. */
export const messageEntry: JournalEntry = {
  type: 'message',
  at: 1,
  messageId: 'message',
  contactId: 'contact',
  phone: '+15551234567',
  body: 'Hello',
};

/** Changes the settings by compare and set, until no other change comes between. Returns their new mark. */
export async function changed(
  settings: SettingsStore,
  decide: (now: StoredSettings) => StoredSettings = (now) => now,
): Promise<string> {
  for (;;) {
    const now = await settings.read();
    if (now === undefined) throw new Error('The workspace was deleted.');
    const mark = await settings.replace(now.mark, decide(now));
    if (mark !== undefined) return mark;
  }
}

/** The digest of the key of an empty workspace. */
export function digestOf(workspaceId: string): string {
  return Buffer.from(workspaceId).toString('hex');
}

/** A workspace that holds nothing. */
export function emptyWorkspace(
  id = `workspace-${randomUUID()}`,
  clock: NewSharedWorkspace['clock'] = { flow: 'flowing', ahead: 0 },
): NewSharedWorkspace {
  return {
    clock,
    settings: {},
    initialState: { seed: id },
    apiKeyDigests: [digestOf(id)],
    state: {
      workspace: { id, quota: 10, addOnCredits: 5, templates: [], segments: [], journeys: [] },
      contacts: [],
      events: [],
      waitingEventIds: [],
      journeyRuns: [],
      sends: [],
      subscriptions: [],
      deliveries: [],
    },
  };
}

/** What waits in a workspace, and when it is due. */
export interface Waiting {
  /** When a delivery to each of the subscriptions is due. */
  readonly deliveries?: number;
  /** When the journey run `run` is due. */
  readonly run?: number;
  /** Default: `subscription`, whose delivery is named `delivery`. */
  readonly subscriptions?: readonly string[];
}

/** A workspace with subscriptions, a delivery to each of them, and a journey run. */
export function waitingWorkspace(
  due: Waiting,
  id = `workspace-${randomUUID()}`,
  clock: NewSharedWorkspace['clock'] = { flow: 'flowing', ahead: 0 },
): NewSharedWorkspace {
  const empty = emptyWorkspace(id, clock);
  const { deliveries: dueAt, subscriptions = ['subscription'] } = due;
  const url = 'http://127.0.0.1:9/hook';
  const deliveryTo = (subscriptionId: string): DeliveryRecord => ({
    id: subscriptionId === 'subscription' ? 'delivery' : `delivery to ${subscriptionId}`,
    subscriptionId,
    event: 'message.received',
    url,
    body: Uint8Array.of(123, 125),
    status: 'pending',
    attempts: [],
    createdAt: 0,
    ...(dueAt !== undefined && { dueAt }),
  });
  const run: Omit<JourneyRunRecord, 'dueAt'> = {
    id: 'run',
    journeyId: 'journey',
    contactId: 'contact',
    eventId: 'event',
    eventProperties: {},
    startedAt: 0,
    status: 'waiting',
    position: 0,
  };
  return {
    ...empty,
    state: {
      ...empty.state,
      contacts: [{ id: 'contact', phone: '+15551234567', properties: {}, consent: 'unknown' }],
      subscriptions: subscriptions.map((subscriptionId) => ({
        id: subscriptionId,
        managed: false,
        url,
        events: ['message.received'],
        secret: 'secret',
        enabled: true,
        createdAt: 0,
      })),
      deliveries: dueAt === undefined ? [] : subscriptions.map(deliveryTo),
      journeyRuns: due.run === undefined ? [] : [{ ...run, dueAt: due.run }],
    },
  };
}

export interface OpenStore {
  readonly store: PostgresStore;
  readonly told: Told;
  readonly schema: string;
}

/** Opens a store, by default over a schema of its own, and closes it when the test ends. */
export async function openStore(
  { connectionString, freshSchema }: PostgresAtHand,
  options: Omit<PostgresStoreOptions, 'connectionString'> = {},
): Promise<OpenStore> {
  const schema = options.schema ?? (await freshSchema());
  const store = postgresStore({ ...(!options.pool && { connectionString }), ...options, schema });
  onTestFinished(() => store.close());
  const told = new Told();
  await store.open(told);
  return { store, told, schema };
}

/** Opens two stores over one schema. */
export async function openTwo(postgres: PostgresAtHand, options: Pick<PostgresStoreOptions, 'lease'> = {}) {
  const one = await openStore(postgres, options);
  const other = await openStore(postgres, { ...options, schema: one.schema });
  return { one, other, schema: one.schema };
}

/** Opens a store over a pool of its own: `die` cuts its connections, and it gets no others. */
export async function openMortal(
  postgres: PostgresAtHand,
  options: Pick<PostgresStoreOptions, 'lease' | 'schema'>,
) {
  const { connectionString } = postgres;
  const name = `mortal-${randomUUID()}`;
  const pool = new Pool({ connectionString, max: 20, application_name: name });
  const open = await openStore(postgres, { ...options, pool });
  return { ...open, die: () => cut(pool, name, connectionString) };
}

/** Resolves when the end of a lease has moved. `query` gives its end as `until`. */
export async function untilRenewed(pool: Pool, query: string): Promise<void> {
  const read = async () => {
    const { rows } = await pool.query<{ until: Date; over: boolean }>(
      `select until, until < clock_timestamp() as over from (${query}) lease`,
    );
    const [row] = rows;
    if (row === undefined || row.over) throw new Error('There is no lease, or it has run out.');
    return row.until.getTime();
  };
  const first = await read();
  const renewed = async () => {
    while ((await read()) === first);
  };
  await within('a renewal of the lease', renewed());
}

async function cut(pool: Pool, name: string, connectionString: string): Promise<void> {
  // It resolves only when all connections are back.
  const ended = pool.end();
  const other = new Client({ connectionString });
  await other.connect();
  await other.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
    name,
  ]);
  await other.end();
  await ended;
}
