import type { WorkspaceRecord, WorkspaceState } from '../../server/model/records.js';
import type { Queryable } from '../database/connection.js';
import { toText } from '../database/text.js';

/** The number of rows in one statement. */
const portion = 5_000;

/** How to write each column. `cast`: what makes the value of the column of the written one. */
type Columns<Kept> = Readonly<
  Record<string, readonly [type: string, read: (record: Kept) => unknown, cast?: string]>
>;

/** Inserts the whole state into an empty workspace. */
export async function insertState(
  transaction: Queryable,
  workspaceNumber: string,
  state: WorkspaceState,
): Promise<void> {
  const { workspace } = state;
  await transaction.query(
    'insert into :schema.quotas (workspace, quota, add_on_credits) values ($1, $2, $3)',
    [workspaceNumber, workspace.quota, workspace.addOnCredits],
  );
  const insert = <Kept>(table: string, records: readonly Kept[], columns: Columns<Kept>) =>
    insertRows(transaction, workspaceNumber, table, records, columns);

  await insert('definitions', definitionsOf(workspace), {
    kind: ['text', ({ kind }) => kind],
    id: ['text', ({ record }) => toText(record.id)],
    event: ['text', ({ record }) => ('event' in record ? toText(record.event) : null)],
    record: ['json', ({ record }) => JSON.stringify(record)],
  });
  await insert('contacts', state.contacts, {
    id: ['text', ({ id }) => toText(id)],
    phone: ['text', ({ phone }) => toText(phone)],
    consent: ['text', ({ consent }) => consent],
    properties: ['json', ({ properties }) => JSON.stringify(properties)],
  });
  const waiting = new Set(state.waitingEventIds);
  await insert('events', state.events, {
    id: ['text', ({ id }) => toText(id)],
    contact_id: ['text', ({ contactId }) => toText(contactId)],
    event: ['text', ({ event }) => toText(event)],
    accepted_at: ['double precision', ({ acceptedAt }) => acceptedAt],
    properties: ['json', ({ properties }) => JSON.stringify(properties)],
    processed: ['boolean', ({ id }) => !waiting.has(id)],
  });
  await insert('journey_runs', state.journeyRuns, {
    id: ['text', ({ id }) => toText(id)],
    contact_id: ['text', ({ contactId }) => toText(contactId)],
    status: ['text', ({ status }) => status],
    due_at: ['double precision', ({ dueAt }) => dueAt],
    record: ['json', (run) => JSON.stringify(run)],
  });
  await insert('sends', state.sends, {
    id: ['text', ({ id }) => toText(id)],
    status: ['text', ({ status }) => status],
    paid_by: ['text', ({ paidBy }) => paidBy],
    record: ['json', ({ status: _, paidBy: __, ...send }) => JSON.stringify(send)],
  });
  await insert('subscriptions', state.subscriptions, {
    id: ['text', ({ id }) => toText(id)],
    url: ['text', ({ url }) => toText(url)],
    record: ['json', (subscription) => JSON.stringify(subscription)],
  });
  await insert('deliveries', state.deliveries, {
    id: ['text', ({ id }) => toText(id)],
    subscription_id: ['text', ({ subscriptionId }) => toText(subscriptionId)],
    event: ['text', ({ event }) => event],
    url: ['text', ({ url }) => toText(url)],
    body: ['bytea', ({ body }) => Buffer.from(body)],
    status: ['text', ({ status }) => status],
    // One text for the attempts of each, because SQL cannot unnest lists from a list.
    attempts: ['text', ({ attempts }) => arrayText(attempts), '::json[]'],
    redelivery_of: ['text', ({ redeliveryOf }) => (redeliveryOf === undefined ? null : toText(redeliveryOf))],
    due_at: ['double precision', (it) => (it.status === 'pending' ? (it.dueAt ?? it.createdAt) : null)],
    created_at: ['double precision', ({ createdAt }) => createdAt],
  });
  await transaction.query('select :schema.wake_all($1)', [workspaceNumber]);
}

/** Writes an array of PostgreSQL whose elements are JSON. The syntax of an element in quotes is that of JSON. */
function arrayText(values: readonly unknown[]): string {
  return `{${values.map((value) => JSON.stringify(JSON.stringify(value))).join()}}`;
}

async function insertRows<Kept>(
  transaction: Queryable,
  workspaceNumber: string,
  table: string,
  records: readonly Kept[],
  columns: Columns<Kept>,
): Promise<void> {
  const names = Object.keys(columns);
  const types = Object.values(columns).map(([type]) => type);
  const lists = types.map((type, index) => `$${index + 2}::${type}[]`).join(', ');
  const text = `insert into :schema.${table} (workspace, ${names.join(', ')})
    select $1, ${Object.entries(columns)
      .map(([name, [, , cast = '']]) => `g.${name}${cast}`)
      .join(', ')}
    from unnest(${lists}) with ordinality as g (${names.join(', ')}, index)
    order by g.index`;
  for (let start = 0; start < records.length; start += portion) {
    const some = records.slice(start, start + portion);
    await transaction.query(text, [
      workspaceNumber,
      ...Object.values(columns).map(([, read]) => some.map((record) => read(record))),
    ]);
  }
}

function definitionsOf({ templates, segments, journeys }: WorkspaceRecord) {
  return [
    ...templates.map((record) => ({ kind: 'template', record })),
    ...segments.map((record) => ({ kind: 'segment', record })),
    ...journeys.map((record) => ({ kind: 'journey', record })),
  ];
}
