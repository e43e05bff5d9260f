import type { WorkspaceRecord, WorkspaceState } from '../../server/model/records.js';
import type { Queryable } from '../database/connection.js';
import { toText } from '../database/text.js';

/** The number of rows in one statement. */
const portion = 5_000;

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
  const insert = <Kept>(
    table: string,
    records: readonly Kept[],
    columns: Readonly<Record<string, readonly [type: string, read: (record: Kept) => unknown]>>,
  ) => insertRows(transaction, workspaceNumber, table, records, columns);

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
  await insertDeliveries(transaction, workspaceNumber, state);
  await transaction.query('select :schema.wake_all($1)', [workspaceNumber]);
}

/** Inserts deliveries separately: the attempts of each are one text, because SQL cannot unnest lists from a list. */
async function insertDeliveries(transaction: Queryable, workspaceNumber: string, state: WorkspaceState) {
  for (let start = 0; start < state.deliveries.length; start += portion) {
    const deliveries = state.deliveries.slice(start, start + portion);
    await transaction.query(
      `insert into :schema.deliveries
         (workspace, id, subscription_id, event, url, body, status, attempts, redelivery_of, due_at, created_at)
       select $1, g.id, g.subscription_id, g.event, g.url, g.body, g.status, g.attempts::json[], g.redelivery_of, g.due_at,
         g.created_at
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::text[], $9::text[],
           $10::double precision[], $11::double precision[])
         with ordinality as g
           (id, subscription_id, event, url, body, status, attempts, redelivery_of, due_at, created_at, index)
       order by g.index`,
      [
        workspaceNumber,
        deliveries.map(({ id }) => toText(id)),
        deliveries.map(({ subscriptionId }) => toText(subscriptionId)),
        deliveries.map(({ event }) => event),
        deliveries.map(({ url }) => toText(url)),
        deliveries.map(({ body }) => Buffer.from(body)),
        deliveries.map(({ status }) => status),
        deliveries.map(({ attempts }) => arrayText(attempts)),
        deliveries.map(({ redeliveryOf }) => (redeliveryOf === undefined ? null : toText(redeliveryOf))),
        deliveries.map(({ status, dueAt, createdAt }) =>
          status === 'pending' ? (dueAt ?? createdAt) : null,
        ),
        deliveries.map(({ createdAt }) => createdAt),
      ],
    );
  }
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
  columns: Readonly<Record<string, readonly [type: string, read: (record: Kept) => unknown]>>,
): Promise<void> {
  const names = Object.keys(columns);
  const types = Object.values(columns).map(([type]) => type);
  const lists = types.map((type, index) => `$${index + 2}::${type}[]`).join(', ');
  const text = `insert into :schema.${table} (workspace, ${names.join(', ')})
    select $1, ${names.map((name) => `g.${name}`).join(', ')}
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
