import type { Page, PageRange } from '../../server/model/page.js';
import type { AttemptRecord, DeliveryRecord } from '../../server/model/records.js';
import type {
  AfterAttempt,
  Claim,
  ClaimedDelivery,
  DeliveryFields,
  OutboxStore,
} from '../../server/store/store.js';
import { lockPlaces, toText } from '../database/text.js';
import { type DeliveryBatch, deliveryColumns, deliveryIn } from './delivery-batch.js';
import { release } from './leases.js';
import { type Condition, isWritten, nameAndValue, type PagedTable, WorkspacePart } from './workspace-part.js';

/** One workspace's deliveries. */
export class Outbox extends WorkspacePart<DeliveryBatch> implements OutboxStore {
  claimDue(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]> {
    return this.batches.claim({ workspaceId: this.workspaceId, subscriptionId, now, limit });
  }

  recordAttempt(
    claim: Claim,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined> {
    const workspaceId = this.workspaceId;
    const claimed = this.context.held.take('deliveries', workspaceId, claim)?.delivery;
    return this.batches.settle({ workspaceId, claim, attempt, after, claimed });
  }

  release(claim: Claim): Promise<void> {
    return release(this.context, [{ ...claim, table: 'deliveries', workspaceId: this.workspaceId }]);
  }

  async redeliver(deliveryId: string, newId: string, now: number): Promise<DeliveryRecord | undefined> {
    const [row] = await this.context.database.query(
      `with original as (
         select d.workspace, d.id, d.event, d.body, s.id as subscription_id, s.url
         from (
             select number, ${lockPlaces} as locked from :schema.workspaces w where w.id = $1 for key share
           ) w
           join :schema.deliveries d on d.workspace = w.number and d.id = $2
           join :schema.subscriptions s on s.workspace = w.number and s.id = d.subscription_id
         for key share of s
       )
       insert into :schema.deliveries as d
         (workspace, id, subscription_id, event, url, body, status, redelivery_of, due_at, created_at)
       select o.workspace, $3, o.subscription_id, o.event, o.url, o.body, 'pending', o.id, $4, $4
       from original o
       returning ${deliveryColumns}`,
      [toText(this.workspaceId), toText(deliveryId), toText(newId), now],
    );
    if (row === undefined) return undefined;
    return this.context.setAside.read('deliveries', this.workspaceId, row, deliveryIn);
  }

  async find(deliveryId: string): Promise<DeliveryRecord | undefined> {
    const { database, setAside } = this.context;
    const [row] = await database.query(
      `select ${deliveryColumns}
       from :schema.workspaces w join :schema.deliveries d on d.workspace = w.number
       where w.id = $1 and d.id = $2`,
      [toText(this.workspaceId), toText(deliveryId)],
      'find_delivery',
    );
    return row === undefined ? undefined : setAside.read('deliveries', this.workspaceId, row, deliveryIn);
  }

  page(
    { event, status, subscriptionId, contactId, phone }: DeliveryFields,
    range: PageRange,
  ): Promise<Page<DeliveryRecord>> {
    const conditions: readonly Condition[] = [
      ['d.event = ?', event],
      ['d.status = ?', status],
      ['d.subscription_id = ?', subscriptionId === undefined ? undefined : toText(subscriptionId)],
      [isInBody('contactId'), nameAndValue('contactId', contactId)],
      [isInBody('phone'), nameAndValue('phone', phone)],
    ];
    return this.readPage(deliveriesByPlace, conditions, range);
  }
}

const deliveriesByPlace: PagedTable<DeliveryRecord> = {
  name: 'deliveries',
  row: 'd',
  columns: deliveryColumns,
  size: 'octet_length(d.body) + octet_length(array_to_json(d.attempts)::text)',
  read: deliveryIn,
};

function isInBody(name: string): string {
  return isWritten("encode(d.body, 'escape')", name, "encode(convert_to(?, 'UTF8'), 'escape')");
}
