import type { Page, PageRange } from '../../server/model/page.js';
import type { AttemptRecord, DeliveryRecord } from '../../server/model/records.js';
import type {
  AfterAttempt,
  Claim,
  ClaimedDelivery,
  DeliveryFields,
  OutboxStore,
  RefusedRedelivery,
} from '../../server/store/store.js';
import type { Queryable } from '../database/connection.js';
import { placesOfMessage } from '../database/migrations/0006-outbox.js';
import { numberIn, textIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { DeliveryClaims } from './delivery-claims.js';
import { deliveryColumns, deliveryIn, withMessage } from './delivery-rows.js';
import { release } from './leases.js';
import { type Condition, isWritten, nameAndValue, type PagedTable, WorkspacePart } from './workspace-part.js';

/** SQL: the workspace, locked for a new message up to the end of the transaction. */
const lockedWorkspace = `(
  select number, :schema.lock_messages(number) as locked from :schema.workspaces where id = $1 for key share
) w`;

/** How many deliveries one statement writes out. */
const portion = 1_000;

/**
 * One workspace's deliveries. A delivery becomes a row when it is claimed, or before something else reads what waits.
 */
export class PostgresOutbox extends WorkspacePart implements OutboxStore {
  readonly #claims = new DeliveryClaims(this.context, (deliveryId) => this.find(deliveryId));

  claimDue(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]> {
    return this.#claims.due(subscriptionId, now, limit);
  }

  recordAttempt(
    claim: Claim,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined> {
    return this.#claims.record(claim, attempt, after);
  }

  release(claim: Claim): Promise<void> {
    return release(this.context, [{ ...claim, table: 'claims', workspace: this.context.workspace }]);
  }

  async redeliver(
    deliveryId: string,
    newId: string,
    now: number,
    only?: 'if_failed',
  ): Promise<DeliveryRecord | RefusedRedelivery | undefined> {
    // One that is no row yet has not failed, but can be redelivered.
    if ((await this.find(deliveryId)) === undefined) return undefined;
    const { database } = this.context;
    if (only === undefined) return this.#repeat(database, deliveryId, newId, now);
    return database.transaction(
      async (transaction) =>
        (await this.#refusal(transaction, deliveryId)) ?? this.#repeat(transaction, deliveryId, newId, now),
    );
  }

  /** Locks a delivery up to the end of the transaction, and returns why it is not to be redelivered. */
  async #refusal(transaction: Queryable, deliveryId: string): Promise<RefusedRedelivery | undefined> {
    const { workspace } = this.context;
    const [original] = await transaction.query(
      `select d.status
       from ${lockedWorkspace}
         join :schema.deliveries d on d.workspace = w.number and d.id = $2
         join :schema.subscriptions s on s.workspace = w.number and s.id = d.subscription_id
       for key share of s for no key update of d`,
      [workspace, toText(deliveryId)],
    );
    if (original === undefined) return undefined;
    if (textIn(original, 'status') !== 'failed') return 'not_failed';
    // A statement of its own, because it sees what others committed while the first one waited for the lock.
    const [again] = await transaction.query(
      `select from :schema.workspaces w
         join :schema.deliveries again on again.workspace = w.number and again.redelivery_of = $2
       where w.id = $1
       limit 1`,
      [workspace, toText(deliveryId)],
    );
    return again === undefined ? undefined : 'redelivered';
  }

  async #repeat(
    database: Queryable,
    deliveryId: string,
    newId: string,
    now: number,
  ): Promise<DeliveryRecord | undefined> {
    const { workspace, setAside } = this.context;
    const [row] = await database.query(
      `with original as (
         select d.workspace, d.id, m.event, m.body, s.id as subscription_id, s.url
         from ${lockedWorkspace}
           join :schema.deliveries d on d.workspace = w.number and d.id = $2
           ${withMessage}
           join :schema.subscriptions s on s.workspace = w.number and s.id = d.subscription_id
         for key share of s
       ),
       m as (
         insert into :schema.messages (workspace, event, body, created_at)
         select workspace, event, body, $4 from original
         returning place, event, body, created_at
       ),
       d as (
         insert into :schema.deliveries as d (workspace, place, id, subscription_id, url, status, redelivery_of, due_at)
         select o.workspace, m.place, $3, o.subscription_id, o.url, 'pending', o.id, $4 from original o, m
         returning d.*
       )
       select ${deliveryColumns} from d, m`,
      [workspace, toText(deliveryId), toText(newId), now],
    );
    return row === undefined ? undefined : setAside.read('deliveries', row, deliveryIn);
  }

  async find(deliveryId: string): Promise<DeliveryRecord | undefined> {
    const { database, workspace, setAside } = this.context;
    const read = () =>
      database.query(
        `select ${deliveryColumns}
         from :schema.workspaces w join :schema.deliveries d on d.workspace = w.number ${withMessage}
         where w.id = $1 and d.id = $2`,
        [workspace, toText(deliveryId)],
        'find_delivery',
      );
    let [row] = await read();
    if (row === undefined) {
      await this.writeOut();
      [row] = await read();
    }
    return row === undefined ? undefined : setAside.read('deliveries', row, deliveryIn);
  }

  page(
    { event, status, subscriptionId, contactId, phone }: DeliveryFields,
    range: PageRange,
  ): Promise<Page<DeliveryRecord>> {
    const conditions: readonly Condition[] = [
      ['m.event = ?', event],
      ['d.status = ?', status],
      ['d.subscription_id = ?', subscriptionId === undefined ? undefined : toText(subscriptionId)],
      [isInBody('contactId'), nameAndValue('contactId', contactId)],
      [isInBody('phone'), nameAndValue('phone', phone)],
    ];
    const isAboutContact = contactId !== undefined || phone !== undefined;
    // What is no row yet is pending.
    const prepare = async () => {
      if (status === undefined || status === 'pending') await this.writeOut(subscriptionId);
    };
    return this.readPage(
      isAboutContact ? deliveriesOfMessages : deliveriesByPlace,
      conditions,
      range,
      prepare,
    );
  }

  /** Makes rows of the deliveries that wait in messages, of all subscriptions or of one. */
  async writeOut(subscriptionId?: string): Promise<void> {
    const { database, workspace } = this.context;
    const only = subscriptionId === undefined ? null : toText(subscriptionId);
    for (let written = portion; written >= portion; ) {
      const [row] = await database.query(
        'select :schema.write_out_waiting($1, $2, $3) as written',
        [workspace, only, portion],
        'write_out',
      );
      written = numberIn(row, 'written');
    }
  }
}

const allDeliveries = {
  name: 'deliveries',
  row: 'd',
  columns: deliveryColumns,
  size: 'octet_length(m.body) + octet_length(array_to_json(d.attempts)::text)',
  read: deliveryIn,
} as const;

const deliveriesByPlace: PagedTable<DeliveryRecord> = {
  ...allDeliveries,
  from: `:schema.deliveries d ${withMessage}`,
};

/** The index of a contact has its messages. */
const deliveriesOfMessages: PagedTable<DeliveryRecord> = {
  ...allDeliveries,
  from: `:schema.messages m
    join :schema.deliveries d on m.place > $2::bigint - ${placesOfMessage}
      and d.workspace = m.workspace and d.place >= m.place and d.place < m.place + ${placesOfMessage}`,
  order: 'm.place, d.place',
};

function isInBody(name: string): string {
  return isWritten("encode(m.body, 'escape')", name, "encode(convert_to(?, 'UTF8'), 'escape')");
}
