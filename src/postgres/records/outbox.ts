import { randomUUID } from 'node:crypto';
import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import type { Page, PageRange } from '../../server/model/page.js';
import type {
  AttemptRecord,
  DeliveryRecord,
  DeliveryStatus,
  SubscriptionRecord,
} from '../../server/model/records.js';
import type {
  AfterAttempt,
  Claim,
  ClaimedDelivery,
  DeliveryFields,
  OutboxStore,
  RefusedRedelivery,
} from '../../server/store/store.js';
import { Batch, conflict, grouped, type Indexed, type Outcome } from '../database/batch.js';
import type { Queryable } from '../database/connection.js';
import {
  bytesIn,
  numberIn,
  objectIn,
  oneOfIn,
  optionalNumberIn,
  optionalTextIn,
  recordIn,
  textIn,
  writtenIn,
} from '../database/rows.js';
import { lockPlaces, toText } from '../database/text.js';
import { release } from './leases.js';
import { type Condition, isWritten, nameAndValue, type PagedTable, WorkspacePart } from './workspace-part.js';

const statuses: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed', 'cancelled'];

export const deliveryColumns = `d.id, d.subscription_id, d.event, d.url, d.body, d.status,
  array_to_json(d.attempts)::text as attempts, d.redelivery_of, d.due_at, d.created_at`;

export function deliveryIn(row: unknown): DeliveryRecord {
  const redeliveryOf = optionalTextIn(row, 'redelivery_of');
  const dueAt = optionalNumberIn(row, 'due_at');
  return {
    id: textIn(row, 'id'),
    subscriptionId: textIn(row, 'subscription_id'),
    event: oneOfIn(row, 'event', webhookEventTypes),
    url: textIn(row, 'url'),
    body: bytesIn(row, 'body'),
    status: oneOfIn(row, 'status', statuses),
    attempts: objectIn<readonly AttemptRecord[]>(row, 'attempts'),
    ...(redeliveryOf !== undefined && { redeliveryOf }),
    ...(dueAt !== undefined && { dueAt }),
    createdAt: numberIn(row, 'created_at'),
  };
}

/** An attempt to record. */
interface Settlement {
  readonly claim: Claim;
  readonly attempt: AttemptRecord;
  readonly after: AfterAttempt;
  /** The delivery as this replica claimed it, so that it need not be read. */
  readonly claimed: DeliveryRecord | undefined;
}

/** Deliveries to claim. */
interface Wanted {
  readonly subscriptionId: string;
  readonly now: number;
  readonly limit: number;
}

type Call = { readonly settlement: Settlement } | { readonly wanted: Wanted };

/** The output of a call: `recorded` for a settlement, `claimed` for a claim. */
interface Processed {
  readonly recorded?: DeliveryRecord | undefined;
  readonly claimed?: readonly ClaimedDelivery[];
}

/** Few calls at a time, so that a hundred dead endpoints do not slow down the working ones. `pause` is in milliseconds. */
const paceOfFailing = { limit: 16, pause: 25 };

/** The largest number of failing subscriptions that are remembered: the ones that failed last. Others are treated like working ones. */
const failingRemembered = 10_000;

/**
 * One workspace's deliveries. The hot path: one call of one function processes all attempts to record and then all claims.
 */
export class Outbox extends WorkspacePart implements OutboxStore {
  readonly #calls = new Batch((calls: readonly Call[]) => this.#process(calls));
  /** The calls for failing endpoints, so that a hundred of them do not delay a working one. */
  readonly #callsOfFailing = new Batch((calls: readonly Call[]) => this.#process(calls), paceOfFailing);
  /** The subscriptions whose last attempt of this replica failed. */
  readonly #failing = new Set<string>();

  async claimDue(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]> {
    const { claimed } = await this.#callsTo(subscriptionId).add({ wanted: { subscriptionId, now, limit } });
    return claimed ?? [];
  }

  async recordAttempt(
    claim: Claim,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined> {
    const claimed = this.context.held.take(claim)?.delivery;
    if (claimed !== undefined) this.#noteOutcome(claimed.subscriptionId, attempt);
    const settlement = { claim, attempt, after, claimed };
    return (await this.#callsTo(claimed?.subscriptionId).add({ settlement })).recorded;
  }

  release(claim: Claim): Promise<void> {
    return release(this.context, [{ ...claim, table: 'deliveries', workspace: this.context.workspace }]);
  }

  async redeliver(
    deliveryId: string,
    newId: string,
    now: number,
    only?: 'if_failed',
  ): Promise<DeliveryRecord | RefusedRedelivery | undefined> {
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
       from (
           select number, ${lockPlaces} as locked from :schema.workspaces w where w.id = $1 for key share
         ) w
         join :schema.deliveries d on d.workspace = w.number and d.id = $2
         join :schema.subscriptions s on s.workspace = w.number and s.id = d.subscription_id
       for key share of s for no key update of d`,
      [workspace, toText(deliveryId)],
    );
    if (original === undefined) return undefined;
    if (textIn(original, 'status') !== 'failed') return 'not_failed';
    // A statement of its own, because it sees what others committed while the first one waited for the lock. The bytes of a
    // redelivery are those of the first delivery, so the index of a contact's deliveries finds it.
    const [again] = await transaction.query(
      `select from :schema.workspaces w
         join :schema.deliveries d on d.workspace = w.number and d.id = $2
         join :schema.deliveries again on again.workspace = w.number and again.place > d.place
           and ${contactIn('again')} = ${contactIn('d')}
       where w.id = $1 and again.redelivery_of = d.id
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
      [workspace, toText(deliveryId), toText(newId), now],
    );
    return row === undefined ? undefined : setAside.read('deliveries', row, deliveryIn);
  }

  async find(deliveryId: string): Promise<DeliveryRecord | undefined> {
    const { database, workspace, setAside } = this.context;
    const [row] = await database.query(
      `select ${deliveryColumns}
       from :schema.workspaces w join :schema.deliveries d on d.workspace = w.number
       where w.id = $1 and d.id = $2`,
      [workspace, toText(deliveryId)],
      'find_delivery',
    );
    return row === undefined ? undefined : setAside.read('deliveries', row, deliveryIn);
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

  #noteOutcome(subscriptionId: string, { error }: AttemptRecord): void {
    this.#failing.delete(subscriptionId);
    if (error === undefined) return;
    this.#failing.add(subscriptionId);
    const [oldest = subscriptionId] = this.#failing;
    if (this.#failing.size > failingRemembered) this.#failing.delete(oldest);
  }

  #callsTo(subscriptionId = ''): Batch<Call, Processed> {
    return this.#failing.has(subscriptionId) ? this.#callsOfFailing : this.#calls;
  }

  async #process(calls: readonly Call[]): Promise<readonly Outcome<Processed>[]> {
    const { database, workspace, replica, lease, running, held, setAside } = this.context;
    const settlements = calls.flatMap((call, index): Indexed<Settlement>[] =>
      'settlement' in call ? [[index, call.settlement]] : [],
    );
    const claims = grouped(
      calls.flatMap((call, index): Indexed<Wanted>[] => ('wanted' in call ? [[index, call.wanted]] : [])),
      ({ subscriptionId, now }) => JSON.stringify([subscriptionId, now]),
    );
    const token = randomUUID();
    const given = settlements.map(([, settlement]) => settlement);
    const wanted = claims.map(([[, first]]) => first);
    const rows = await database.query(
      `select * from :schema.settle_and_claim(
         $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17
       )`,
      [
        workspace,
        given.map(({ claim }) => toText(claim.id)),
        given.map(({ claim }) => toText(claim.token)),
        given.map(({ attempt }) => attempt.number),
        given.map(({ attempt }) => JSON.stringify(attempt)),
        given.map(({ attempt }) => attempt.error !== undefined),
        given.map(({ after }) => after.status),
        given.map(({ after }) => (after.status === 'pending' ? after.dueAt : null)),
        given.map(({ claimed }) => claimed === undefined),
        wanted.map(({ subscriptionId }) => toText(subscriptionId)),
        wanted.map(({ now }) => now),
        claims.map((group) => group.reduce((sum, [, { limit }]) => sum + limit, 0)),
        token,
        replica,
        lease,
        running?.most ?? null,
        running?.whileFailing ?? null,
      ],
      'settle_and_claim',
    );
    const outputs = new Map<number, Outcome<Processed>>();
    const claimed = claims.map((): ClaimedDelivery[] => []);
    for (const row of rows) {
      const place = numberIn(row, 'of_index') - 1;
      const outcome = oneOfIn(row, 'outcome', ['settled', 'claimed', 'busy']);
      if (outcome === 'settled') {
        for (const [index, settlement] of settlements.slice(place, place + 1)) {
          const read = (written: unknown) => recordedOf(settlement, written);
          outputs.set(index, { recorded: await setAside.read('deliveries', row, read) });
        }
      } else if (outcome === 'claimed') {
        const delivery = await this.#claimedIn(row, token);
        if (delivery !== undefined) claimed[place]?.push(delivery);
      } else {
        // Another replica claims for the same subscription at this moment.
        for (const [index] of claims[place] ?? []) outputs.set(index, conflict);
      }
    }
    for (const [place, group] of claims.entries()) {
      const left = claimed[place] ?? [];
      // Only now nothing can fail any more: a claim without a caller would be renewed for ever.
      for (const { claim, delivery } of left)
        held.hold({ ...claim, table: 'deliveries', workspace, delivery });
      for (const [index, { limit }] of group) {
        if (!outputs.has(index)) outputs.set(index, { claimed: left.splice(0, limit) });
      }
    }
    return calls.map((_, index) => outputs.get(index) ?? {});
  }

  async #claimedIn(row: unknown, token: string): Promise<ClaimedDelivery | undefined> {
    const { setAside } = this.context;
    const subscriptionRow = { id: writtenIn(row, 'subscription_id'), record: writtenIn(row, 'subscription') };
    const subscription = await setAside.read('subscriptions', subscriptionRow, recordIn<SubscriptionRecord>);
    const delivery = await setAside.read('deliveries', row, deliveryIn);
    if (subscription === undefined || delivery === undefined) return undefined;
    return { claim: { id: delivery.id, token }, delivery, secret: subscription.secret };
  }
}

const deliveriesByPlace: PagedTable<DeliveryRecord> = {
  name: 'deliveries',
  row: 'd',
  columns: deliveryColumns,
  size: 'octet_length(d.body) + octet_length(array_to_json(d.attempts)::text)',
  read: deliveryIn,
};

/** Returns the SQL of the hash of the contact in the body of a delivery, which an index has. */
function contactIn(delivery: string): string {
  return `:schema.hash_of(encode(${delivery}.body, 'escape'), 'contactId')`;
}

function isInBody(name: string): string {
  return isWritten("encode(d.body, 'escape')", name, "encode(convert_to(?, 'UTF8'), 'escape')");
}

/** Returns the delivery after the attempt. */
function recordedOf({ claimed, attempt, after }: Settlement, row: unknown): DeliveryRecord {
  if (claimed === undefined) return deliveryIn(row);
  const { dueAt: _, ...delivery } = claimed;
  const status = oneOfIn(row, 'status', statuses);
  const attempted = { ...delivery, attempts: [...delivery.attempts, attempt], status };
  if (after.status !== 'pending' || status !== 'pending') return attempted;
  return { ...attempted, dueAt: after.dueAt };
}
