import { type PostgresStoreOptions, postgresStore } from 'messaging-automation/postgres';
import {
  createReferenceServer,
  type ReferenceServer,
  type ReferenceServerOptions,
} from 'messaging-automation/server';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/foundation/clock.js';
import type { PostgresAtHand } from './database.js';

/** The key of the first workspace of each replica. */
export const firstKey = 'key_of_the_first_workspace';

/** Two replicas in a schema of their own, and what a test does to their database. */
export interface ReplicasOfAService {
  readonly one: ReferenceServer;
  readonly two: ReferenceServer;
  readonly schema: string;
  /** Runs statements as another program. `:schema` is the schema. */
  readonly run: (sql: string) => Promise<void>;
  /** Loses all further notices of changes. */
  readonly loseNotices: () => Promise<void>;
  /** Cuts the connections that listen to notices. The replicas connect again. */
  readonly cutListeners: () => Promise<void>;
}

export interface ServiceOptions extends ReferenceServerOptions, Pick<PostgresStoreOptions, 'lease'> {
  /** The name of both replicas. Default: each has its own. */
  readonly replica?: string;
  /** The clocks of their machines. */
  readonly systemClocks?: readonly [one: Clock, two: Clock];
}

/** Starts one replica over a schema, and closes it when the test ends. */
export async function startReplica(
  { connectionString }: PostgresAtHand,
  schema: string,
  { replica: name, lease, systemClocks: _, ...options }: ServiceOptions = {},
): Promise<ReferenceServer> {
  const store = postgresStore({ connectionString, schema, poolSize: 4, replica: name, lease });
  const replica = createReferenceServer({ apiKey: firstKey, ...options, store });
  onTestFinished(() => replica.close());
  await replica.settled();
  return replica;
}

/** Starts the replicas, and closes them when the test ends. */
export async function startService(
  postgres: PostgresAtHand,
  options: ServiceOptions = {},
): Promise<ReplicasOfAService> {
  const { freshSchema, server } = postgres;
  const { systemClocks } = options;
  const schema = await freshSchema();
  const start = (systemClock = options.systemClock) =>
    startReplica(postgres, schema, { ...options, systemClock });
  const run = async (sql: string) => {
    await server.pool.query(sql.replaceAll(':schema', schema));
  };
  return {
    one: await start(systemClocks?.[0]),
    two: await start(systemClocks?.[1]),
    schema,
    run,
    loseNotices: () =>
      run(`
create or replace function :schema.tell(workspace_id text, part text) returns void
language sql as $$ select null::void $$`),
    cutListeners: () =>
      run('select pg_terminate_backend(pid) from pg_stat_activity where query = \'listen ":schema"\''),
  };
}

/** Starts replicas whose clock only tests move, and whose deliveries are all acknowledged. */
export function startFrozen(
  postgres: PostgresAtHand,
  options: ServiceOptions = {},
): Promise<ReplicasOfAService> {
  const fetch = async () => new Response(null, { status: 204 });
  return startService(postgres, { clock: 'frozen', now: '2026-01-01T09:00:00Z', fetch, ...options });
}

/** SQL: lets each change of a table fail with an error code, if it meets a condition. */
export function failing(
  table: string,
  change: 'insert' | 'update' | 'delete',
  code: string,
  when = 'true',
): string {
  return `
create or replace function :schema.fail() returns trigger language plpgsql as $$
begin
  raise exception 'an error of the test' using errcode = tg_argv[0];
end
$$;
create trigger failing before ${change} on :schema.${table} for each row when (${when}) execute function :schema.fail('${code}')`;
}

/** The status of a request with a key. */
export async function statusFor(server: ReferenceServer, apiKey: string): Promise<number> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const { status } = await server.fetch(new Request('http://localhost/api/v1/templates', { headers }));
  return status;
}
