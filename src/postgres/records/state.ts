import type {
  ContactRecord,
  JourneyRecord,
  QuotaSource,
  SegmentRecord,
  SubscriptionRecord,
  TemplateRecord,
  WorkspaceState,
} from '../../server/model/records.js';
import type { Queryable } from '../database/connection.js';
import { booleanIn, jsonIn, writtenIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { contactColumns, contactIn } from './contact-rows.js';
import { deliveryColumns, deliveryIn } from './delivery-rows.js';
import { eventColumns, eventIn } from './events.js';
import { runIn } from './journeys.js';
import { quotaIn, sendColumns, sendIn } from './send-rows.js';

/**
 * Reads the whole content of the workspace, as if every claim were released. Call it in a `repeatable read` transaction.
 */
export async function readState(transaction: Queryable, workspaceId: string): Promise<WorkspaceState> {
  const rowsOf = (columns: string, table: string, where = 'true') =>
    transaction.query(
      `select ${columns}
       from :schema.workspaces w join :schema.${table} on workspace = w.number
       where w.id = $1 and ${where}
       order by place`,
      [toText(workspaceId)],
    );
  const [purse] = await transaction.query(
    `select q.quota, q.add_on_credits
     from :schema.workspaces w join :schema.quotas q on q.workspace = w.number
     where w.id = $1`,
    [toText(workspaceId)],
  );
  const { quota, addOnCredits } = quotaIn(purse);
  const definitions = await rowsOf('kind, record::text', 'definitions');
  const definitionsOf = <Kept>(kind: string) =>
    definitions.filter((row) => writtenIn(row, 'kind') === kind).map((row) => jsonIn<Kept>(row, 'record'));
  const contacts: readonly ContactRecord[] = (await rowsOf(contactColumns, 'contacts c')).map(
    (row) => contactIn(row).contact,
  );
  const events = await rowsOf(`${eventColumns}, e.processed`, 'events e');
  const runs = await rowsOf('record::text', 'journey_runs');
  const sends = (await rowsOf(sendColumns, 'sends s')).map(sendIn);
  const subscriptions = (await rowsOf('record::text', 'subscriptions')).map((row) =>
    jsonIn<SubscriptionRecord>(row, 'record'),
  );
  const deliveries = (await rowsOf(deliveryColumns, 'deliveries d')).map(deliveryIn);
  const takenFrom = (payer: QuotaSource) =>
    sends.filter(({ status, paidBy }) => status === 'pending' && paidBy === payer).length;
  const waitedFor = new Set(subscriptions.map(({ id }) => id));
  return {
    workspace: {
      id: workspaceId,
      quota: quota + takenFrom('plan'),
      addOnCredits: addOnCredits + takenFrom('add_on'),
      templates: definitionsOf<TemplateRecord>('template'),
      segments: definitionsOf<SegmentRecord>('segment'),
      journeys: definitionsOf<JourneyRecord>('journey'),
    },
    contacts,
    events: events.map(eventIn),
    waitingEventIds: events.filter((row) => !booleanIn(row, 'processed')).map((row) => eventIn(row).id),
    journeyRuns: runs.map(runIn),
    sends: sends.filter(({ status }) => status !== 'pending'),
    subscriptions,
    deliveries: deliveries.map((delivery) => {
      if (delivery.status !== 'pending' || waitedFor.has(delivery.subscriptionId)) return delivery;
      const { dueAt: _, ...cancelled } = delivery;
      return { ...cancelled, status: 'cancelled' };
    }),
  };
}
