import { afterAll } from 'vitest';
import { Database } from '../../../src/postgres/database/connection.js';
import {
  PostgresRecords,
  type PostgresRecordsOptions,
} from '../../../src/postgres/records/postgres-records.js';
import type { Store, WorkspaceStore } from '../../../src/server/store/store.js';
import type { StoreAtHand } from '../../server/store-conformance/opening.js';
import type { PostgresAtHand } from './database.js';

const claimed = ['claims', 'events', 'journey_runs', 'sends'];

/** Several replicas over one schema, each with a pool of its own. */
export interface Replicas {
  readonly replicas: readonly PostgresRecords[];
  /** For a look into the tables. */
  readonly database: Database;
  readonly endLeases: () => Promise<void>;
}

/** Opens replicas over an empty schema. */
export type OpenReplicas = (
  count: number,
  options?: Pick<PostgresRecordsOptions, 'running' | 'onFailure'>,
) => Promise<Replicas>;

/**
 * Makes one schema, and a pool for each replica, for all tests of this file. Each opening empties the schema, which takes less
 * time than another schema and other connections.
 */
export function useReplicas(postgres: () => PostgresAtHand): OpenReplicas {
  let schema: Promise<string> | undefined;
  const databases: Database[] = [];
  afterAll(() => Promise.all(databases.map((database) => database.close())));
  return async (count, options = {}) => {
    const { connectionString, freshSchema } = postgres();
    schema ??= freshSchema();
    const name = await schema;
    while (databases.length < count) {
      databases.push(new Database({ connectionString, schema: name, poolSize: 3 }));
    }
    const [first = new Database({ connectionString, schema: name })] = databases;
    await first.query('delete from :schema.workspaces');
    return {
      replicas: databases.slice(0, count).map(
        (database, index) =>
          new PostgresRecords({
            database,
            lease: 60_000,
            replica: `replica_${index}`,
            ...options,
          }),
      ),
      database: first,
      async endLeases() {
        for (const table of claimed) {
          await first.query(`update :schema.${table} set lease_until = '-infinity' where token is not null`);
        }
      },
    };
  };
}

/** A store each verb of which goes to the next replica. */
export async function spreadStore(openReplicas: OpenReplicas, count: number): Promise<StoreAtHand> {
  const opened = await openReplicas(count);
  let turns = 0;
  const next = (): Store => {
    turns += 1;
    const replica = opened.replicas[turns % count];
    if (replica === undefined) throw new Error('There is no replica.');
    return replica;
  };
  const [any] = opened.replicas;
  if (any === undefined) throw new Error('There is no replica.');
  const workspace = (id: string): WorkspaceStore => spread(any.workspace(id), () => next().workspace(id));
  return {
    store: new Proxy<Store>(any, {
      get: (_, name) => (name === 'workspace' ? workspace : verbOf(next, name)),
    }),
    endLeases: opened.endLeases,
  };
}

/** Verbs of the part and of its parts go to whichever is the next. */
function spread<Part extends object>(part: Part, next: () => Part): Part {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === 'function') return verbOf(next, name);
      if (typeof member !== 'object' || member === null) return member;
      return spread(member, () => Object(Reflect.get(next(), name)));
    },
  });
}

function verbOf(next: () => object, name: string | symbol) {
  return (...words: unknown[]): unknown => {
    const target = next();
    const verb: unknown = Reflect.get(target, name);
    if (typeof verb !== 'function') throw new Error(`There is no verb ${String(name)}.`);
    return Reflect.apply(verb, target, words);
  };
}
