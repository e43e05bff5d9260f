import type {
  JourneyRecord,
  JourneyRunRecord,
  QuotaSource,
  SegmentRecord,
  SubscriptionRecord,
  TemplateRecord,
  WorkspaceState,
} from '../../server/model/records.js';
import { booleanIn, recordIn, textIn, writtenIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { contactColumns, contactIn } from './contact-rows.js';
import { deliveryColumns, deliveryIn } from './delivery-rows.js';
import { eventColumns, eventIn } from './events.js';
import type { ReplicaContext } from './replica-context.js';
import { quotaIn, sendColumns, sendIn } from './send-rows.js';

/** Reads the whole content of the workspace at one moment, as if every claim were released. */
export async function readState(context: ReplicaContext, workspaceId: string): Promise<WorkspaceState> {
  const rows = await context.database.transaction(async (transaction) => {
    const rowsOf = (columns: string, table: string) =>
      transaction.query(
        `select ${columns}
         from :schema.workspaces w join :schema.${table} on workspace = w.number
         where w.id = $1
         order by place`,
        [toText(workspaceId)],
      );
    const [purse] = await transaction.query(
      `select q.quota, q.add_on_credits
       from :schema.workspaces w join :schema.quotas q on q.workspace = w.number
       where w.id = $1`,
      [toText(workspaceId)],
    );
    return {
      purse,
      definitions: await rowsOf('d.id, kind, record::text', 'definitions d'),
      contacts: await rowsOf(contactColumns, 'contacts c'),
      events: await rowsOf(`${eventColumns}, e.processed`, 'events e'),
      runs: await rowsOf('r.id, record::text', 'journey_runs r'),
      sends: await rowsOf(sendColumns, 'sends s'),
      subscriptions: await rowsOf('s.id, record::text', 'subscriptions s'),
      deliveries: await rowsOf(deliveryColumns, 'deliveries d'),
    };
  }, 'repeatable read');
  const { setAside } = context;
  const { quota, addOnCredits } = quotaIn(rows.purse);
  const definitionsOf = <Kept extends { readonly id: string }>(kind: 'template' | 'segment' | 'journey') =>
    setAside.readAll(
      kind,
      workspaceId,
      rows.definitions.filter((row) => writtenIn(row, 'kind') === kind),
      recordIn<Kept>,
    );
  const contacts = (await setAside.readAll('contacts', workspaceId, rows.contacts, contactIn)).map(
    ({ contact }) => contact,
  );
  // Without what belongs to a contact that was set aside.
  const known = new Set(contacts.map(({ id }) => id));
  const read = await setAside.readAll('events', workspaceId, rows.events, eventIn);
  const events = read.filter(({ contactId }) => known.has(contactId));
  const runs = await setAside.readAll('journey_runs', workspaceId, rows.runs, recordIn<JourneyRunRecord>);
  const sends = await setAside.readAll('sends', workspaceId, rows.sends, sendIn);
  const subscriptions = await setAside.readAll(
    'subscriptions',
    workspaceId,
    rows.subscriptions,
    recordIn<SubscriptionRecord>,
  );
  const deliveries = await setAside.readAll('deliveries', workspaceId, rows.deliveries, deliveryIn);
  const waiting = new Set(
    rows.events.filter((row) => !booleanIn(row, 'processed')).map((row) => textIn(row, 'id')),
  );
  const takenFrom = (payer: QuotaSource) =>
    sends.filter(({ status, paidBy }) => status === 'pending' && paidBy === payer).length;
  const waitedFor = new Set(subscriptions.map(({ id }) => id));
  return {
    workspace: {
      id: workspaceId,
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
