import type { Claim } from '../../server/store/claim.js';
import { rowsOf } from '../database/lists.js';
import { toText } from '../database/text.js';
import type { ClaimedTable, HeldClaim } from './held-claims.js';
import type { ReplicaContext } from './replica-context.js';

const tables: readonly ClaimedTable[] = ['events', 'journey_runs', 'sends', 'deliveries'];

/** Renews the leases of this replica's claims whose records no one else has claimed. */
export async function renewLeases({ database, held, lease }: ReplicaContext): Promise<void> {
  for (const [table, lists] of listsOf(held.all())) {
    await database.query(
      `with mine as (
         select r.workspace, r.id, r.token
         from ${rowsOf('$1::text[]', '$2::text[]', '$3::text[]')} as g (workspace_id, id, token)
           join :schema.workspaces w on w.id = g.workspace_id
           join :schema.${table} r on r.workspace = w.number and r.id = g.id and r.token = g.token
         where r.lease_until < clock_timestamp() + $4 * interval '1 millisecond'
         order by r.workspace, r.id
         for update of r skip locked
       )
       update :schema.${table} r
       set lease_until = clock_timestamp() + $5 * interval '1 millisecond'
       from mine
       where r.workspace = mine.workspace and r.id = mine.id and r.token = mine.token`,
      [...lists, (lease * 2) / 3, lease],
      `renew_${table}`,
    );
  }
}

/** Ends a claim, if it is the latest. Its lease is no longer renewed, even if the database is unreachable. */
export async function releaseOne(
  { database, held }: ReplicaContext,
  table: 'events' | 'journey_runs',
  workspaceId: string,
  claim: Claim,
): Promise<void> {
  held.take(table, workspaceId, claim);
  await database.query(
    `update :schema.${table} r
     set token = null, holder = null, lease_until = null
     from :schema.workspaces w
     where w.id = $1 and r.workspace = w.number and r.id = $2 and r.token = $3`,
    [toText(workspaceId), toText(claim.id), toText(claim.token)],
    `release_${table}`,
  );
}

/** Releases all claims of this replica. */
export async function releaseAll({ database, held }: ReplicaContext): Promise<void> {
  for (const [table, lists] of listsOf(held.takeAll())) {
    if (table === 'deliveries') {
      await database.query('select :schema.release_deliveries($1, $2, $3)', lists);
      continue;
    }
    await database.query(
      // A send keeps its token, and becomes an abandoned send that any replica can claim.
      `update :schema.${table} r
       set ${table === 'sends' ? "lease_until = '-infinity'" : 'token = null, holder = null, lease_until = null'}
       from ${rowsOf('$1::text[]', '$2::text[]', '$3::text[]')} as g (workspace_id, id, token)
         join :schema.workspaces w on w.id = g.workspace_id
       where r.workspace = w.number and r.id = g.id and r.token = g.token`,
      lists,
    );
  }
}

/** Returns the workspaces, the ids and the tokens for each table with claims. */
function listsOf(claims: readonly HeldClaim[]) {
  return tables.flatMap((name) => {
    const those = claims.filter(({ table }) => table === name);
    const lists = [
      those.map(({ workspaceId }) => toText(workspaceId)),
      those.map(({ id }) => toText(id)),
      those.map(({ token }) => token),
    ];
    return those.length === 0 ? [] : [[name, lists] as const];
  });
}
