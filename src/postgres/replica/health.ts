import { atMost, type Clock, steadyTime } from '../../foundation/clock.js';
import { isObject } from '../../foundation/is-object.js';
import type { StoreHealth } from '../../server/model/store-health.js';
import type { Database } from '../database/connection.js';
import { numberIn, writtenIn } from '../database/rows.js';

/** The timeout of a health check. In milliseconds. */
const longestWait = 2_000;

/** A replica that was not seen for this many leases no longer counts. */
const leasesOfAReplica = 3;

export async function healthOf(
  database: Database,
  clock: Clock,
  lease: number,
  replica: string,
  clockAhead: number,
): Promise<StoreHealth> {
  const begin = steadyTime(clock);
  let asked: Awaited<ReturnType<typeof ask>> | undefined;
  const asking = ask(database, lease).then((output) => {
    asked = output;
  });
  await atMost(clock, longestWait, asking, () => {}).catch(() => {});
  const latency = Math.round(steadyTime(clock) - begin);
  const pool = await connectionsOf(database);
  return asked === undefined
    ? { state: 'unreachable', pool, lease, replica }
    : { state: 'ok', latency, ...asked, pool, lease, replica, clockAhead };
}

async function ask(database: Database, lease: number) {
  const [row] = await database.query(
    `
select
  current_setting('server_version') as postgres,
  (select max(number) from :schema.migrations) as schema_version,
  (select count(*) from :schema.replicas where seen_at > clock_timestamp() - $1 * interval '1 millisecond') as replicas`,
    [lease * leasesOfAReplica],
    'health',
  );
  return {
    postgres: writtenIn(row, 'postgres'),
    schemaVersion: numberIn(row, 'schema_version'),
    replicas: numberIn(row, 'replicas'),
  };
}

async function connectionsOf(database: Database): Promise<StoreHealth['pool']> {
  const pool: unknown = await database.pool().catch(() => undefined);
  const count = (name: string) => {
    const value = isObject(pool) ? pool[name] : undefined;
    return typeof value === 'number' ? value : 0;
  };
  return { total: count('totalCount'), idle: count('idleCount'), waiting: count('waitingCount') };
}
