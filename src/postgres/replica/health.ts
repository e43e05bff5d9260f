import { atMost, type Clock, steadyTime } from '../../foundation/clock.js';
import { isObject } from '../../foundation/is-object.js';
import { StoreCause } from '../../server/model/service-error.js';
import type { StoreHealth } from '../../server/model/store-health.js';
import type { Database } from '../database/connection.js';
import { readsOnly, refuseReadOnly } from '../database/read-only.js';
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
  const asking = ask(database, lease).catch((error: unknown) => ({ cause: inPublic(error) }));
  const late = () => ({ cause: inPublic({ reason: database.failures.latest }) });
  const found = await atMost(clock, longestWait, asking, late);
  const latency = Math.round(steadyTime(clock) - begin);
  const pool = await connectionsOf(database);
  return 'cause' in found
    ? { state: 'unreachable', ...found, pool, lease, replica }
    : { state: 'ok', latency, ...found, pool, lease, replica, clockAhead };
}

/** Why the database cannot be used, as anyone may read it. */
function inPublic(error: unknown): StoreHealth['cause'] {
  const { reason }: { readonly reason?: unknown } = Object(error);
  return reason instanceof StoreCause
    ? { code: reason.code, message: reason.inPublic }
    : { code: 'unknown', message: 'The database did not respond in time.' };
}

async function ask(database: Database, lease: number) {
  const [row] = await database.query(
    `
select
  current_setting('server_version') as postgres,
  ${readsOnly},
  (select max(number) from :schema.migrations) as schema_version,
  (select count(*) from :schema.replicas where seen_at > clock_timestamp() - $1 * interval '1 millisecond') as replicas`,
    [lease * leasesOfAReplica],
    'health',
  );
  refuseReadOnly(row, database.failures);
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
