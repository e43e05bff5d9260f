import type {
  JourneyRecord,
  JourneyRunRecord,
  QuotaSource,
  SegmentRecord,
  SubscriptionRecord,
  TemplateRecord,
  WorkspaceRecord,
  WorkspaceState,
} from '../../server/model/records.js';
import type { ClockPosition } from '../../server/time/clock.js';
import type { Queryable } from '../database/connection.js';
import { booleanIn, recordIn, textIn, writtenIn } from '../database/rows.js';
import { fromText, toText } from '../database/text.js';
import { contactColumns, contactIn } from './contacts.js';
import { deliveryIn, insertDeliveries, readDeliveries } from './delivery-rows.js';
import { eventColumns, eventIn } from './events.js';
import type { RecordsContext } from './replica-context.js';
import { quotaIn, sendColumns, sendIn } from './sends.js';
import type { RowKind } from './set-aside.js';

/** Reads the whole content of the workspace at one moment, as if every claim were released. */
export async function readState(context: RecordsContext): Promise<WorkspaceState> {
  const rows = await context.database.transaction(async (transaction) => {
    const readRows = (columns: string, table: string) =>
      transaction.query(
        `select ${columns}
         from :schema.workspaces w join :schema.${table} on workspace = w.number
         where w.id = $1
         order by place`,
        [context.workspace],
      );
    const [purse] = await transaction.query(
      `select q.quota, q.add_on_credits
       from :schema.workspaces w join :schema.quotas q on q.workspace = w.number
       where w.id = $1`,
      [context.workspace],
    );
    return {
      purse,
      definitions: await readRows('d.id, kind, record::text', 'definitions d'),
      contacts: await readRows(contactColumns, 'contacts c'),
      events: await readRows(`${eventColumns}, e.processed`, 'events e'),
      runs: await readRows('r.id, record::text', 'journey_runs r'),
      sends: await readRows(sendColumns, 'sends s'),
      subscriptions: await readRows('s.id, record::text', 'subscriptions s'),
      deliveries: await readDeliveries(transaction, context.workspace),
    };
  }, 'repeatable read');
  const { quota, addOnCredits } = quotaIn(rows.purse);
  const readAll = <Kept>(kind: RowKind, of: readonly unknown[], read: (row: unknown) => Kept) =>
    context.setAside.readAll(kind, of, read);
  const definitionsOf = <Kept extends { readonly id: string }>(kind: 'template' | 'segment' | 'journey') => {
    const ofKind = rows.definitions.filter((row) => writtenIn(row, 'kind') === kind);
    return readAll(kind, ofKind, recordIn<Kept>);
  };
  const contacts = await readAll('contacts', rows.contacts, (row) => contactIn(row).contact);
  // Without what belongs to a contact that was set aside.
  const known = new Set(contacts.map(({ id }) => id));
  const read = await readAll('events', rows.events, eventIn);
  const events = read.filter(({ contactId }) => known.has(contactId));
  const runs = await readAll('journey_runs', rows.runs, recordIn<JourneyRunRecord>);
  const sends = await readAll('sends', rows.sends, sendIn);
  const subscriptions = await readAll('subscriptions', rows.subscriptions, recordIn<SubscriptionRecord>);
  const deliveries = await readAll('deliveries', rows.deliveries, deliveryIn);
  const waiting = new Set(
    rows.events.filter((row) => !booleanIn(row, 'processed')).map((row) => textIn(row, 'id')),
  );
  const takenFrom = (payer: QuotaSource) =>
    sends.filter(({ status, paidBy }) => status === 'pending' && paidBy === payer).length;
  const waitedFor = new Set(subscriptions.map(({ id }) => id));
  return {
    workspace: {
      id: fromText(context.workspace),
      quota: quota + takenFrom('plan'),
      addOnCredits: addOnCredits + takenFrom('add_on'),
      templates: await definitionsOf<TemplateRecord>('template'),
      segments: await definitionsOf<SegmentRecord>('segment'),
      journeys: await definitionsOf<JourneyRecord>('journey'),
    },
    contacts,
    events,
    waitingEventIds: events.map(({ id }) => id).filter((id) => waiting.has(id)),
    journeyRuns: runs.filter(({ contactId }) => known.has(contactId)),
    sends: sends.filter(({ status }) => status !== 'pending'),
    subscriptions,
    deliveries: deliveries.map((delivery) => {
      if (delivery.status !== 'pending' || waitedFor.has(delivery.subscriptionId)) return delivery;
      const { dueAt: _, ...cancelled } = delivery;
      return { ...cancelled, status: 'cancelled' };
    }),
  };
}

/** The number of rows in one statement. */
const portion = 5_000;

/** How to write each column. */
type Columns<Kept> = Readonly<Record<string, readonly [type: string, read: (record: Kept) => unknown]>>;

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
  await transaction.query(
    'insert into :schema.cursors (workspace, subscription_id) select workspace, id from :schema.subscriptions where workspace = $1',
    [workspaceNumber],
  );
  for (let start = 0; start < state.deliveries.length; start += portion) {
    await insertDeliveries(transaction, workspaceNumber, state.deliveries.slice(start, start + portion));
  }
  await transaction.query('select :schema.wake_all($1)', [workspaceNumber]);
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

/** Converts a position to the columns `clock_flow` and `clock_position`. */
export function toColumns(clock: ClockPosition): readonly [flow: string, position: number] {
  return clock.flow === 'frozen' ? ['frozen', clock.now] : ['flowing', clock.ahead];
}
