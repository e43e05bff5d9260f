import { randomUUID } from 'node:crypto';
import type { Claim } from '../../server/store/store.js';
import { rowsOf, toText } from '../database/text.js';
import type { ClaimedTable, HeldClaim, RecordsContext, ReplicaContext } from './replica-context.js';

const tables: readonly ClaimedTable[] = ['events', 'journey_runs', 'sends', 'claims'];

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

/** Claims the oldest row that meets an SQL condition, and reads it. */
export async function claimOldest<Kept extends { readonly id: string }>(
  { database, workspace, replica, lease, held, setAside }: RecordsContext,
  table: 'events' | 'sends',
  condition: string,
  columns: string,
  read: (row: unknown) => Kept,
): Promise<readonly [claim: Claim, record: Kept] | undefined> {
  // The name of the table in `columns`.
  const alias = table.charAt(0);
  for (;;) {
    const token = randomUUID();
    const [row] = await database.query(
      `with oldest as (
         select workspace, id
         from :schema.${table}
         where workspace = (select number from :schema.workspaces where id = $1) and ${condition}
         order by place
         limit 1
         for update skip locked
       )
       update :schema.${table} ${alias}
       set token = $2, holder = $3, lease_until = clock_timestamp() + $4 * interval '1 millisecond'
       from oldest
       where ${alias}.workspace = oldest.workspace and ${alias}.id = oldest.id
       returning ${columns}`,
      [workspace, token, replica, lease],
      `claim_${table}`,
    );
    if (row === undefined) return undefined;
    const record = await setAside.read(table, row, read);
    if (record === undefined) continue;
    const claim = { id: record.id, token };
    held.hold({ ...claim, table, workspace });
    return [claim, record];
  }
}

/** Ends claims that are the latest. Their leases are no longer renewed, even if the database is unreachable. */
export async function release(
  { database, held }: Pick<RecordsContext, 'database' | 'held'>,
  claims: readonly HeldClaim[],
): Promise<void> {
  for (const claim of claims) held.take(claim);
  for (const [table, lists] of listsOf(claims)) {
    await database.query(
      table === 'claims'
        ? 'select :schema.release_deliveries($1, $2, $3)'
        : // A send keeps its token, and becomes an abandoned send that any replica can claim.
          `update :schema.${table} r
           set ${table === 'sends' ? "lease_until = '-infinity'" : 'token = null, holder = null, lease_until = null'}
           from ${rowsOf('$1::text[]', '$2::text[]', '$3::text[]')} as g (workspace_id, id, token)
             join :schema.workspaces w on w.id = g.workspace_id
           where r.workspace = w.number and r.id = g.id and r.token = g.token`,
      lists,
      `release_${table}`,
    );
  }
}

/** Returns the workspaces, the ids and the tokens for each table with claims. */
function listsOf(claims: readonly HeldClaim[]) {
  return tables.flatMap((name) => {
    const those = claims.filter(({ table }) => table === name);
    const lists = [
      those.map(({ workspace }) => workspace),
      those.map(({ id }) => toText(id)),
      those.map(({ token }) => token),
    ];
    return those.length === 0 ? [] : [[name, lists] as const];
  });
}
