import { randomUUID } from 'node:crypto';
import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import type {
  AttemptRecord,
  DeliveryRecord,
  DeliveryStatus,
  SubscriptionRecord,
} from '../../server/model/records.js';
import type { AfterAttempt, Claim, ClaimedDelivery } from '../../server/store/store.js';
import { Batch, byWorkspace, grouped } from '../database/batch.js';
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
import { toText } from '../database/text.js';
import type { ReplicaContext } from './replica-context.js';

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
    status: deliveryStatusIn(row),
    attempts: objectIn<readonly AttemptRecord[]>(row, 'attempts'),
    ...(redeliveryOf !== undefined && { redeliveryOf }),
    ...(dueAt !== undefined && { dueAt }),
    createdAt: numberIn(row, 'created_at'),
  };
}

export function deliveryStatusIn(row: unknown): DeliveryStatus {
  return oneOfIn(row, 'status', statuses);
}

/** An attempt to record. */
export interface Settlement {
  readonly workspaceId: string;
  readonly claim: Claim;
  readonly attempt: AttemptRecord;
  readonly after: AfterAttempt;
  /** The delivery as this replica claimed it, so that it need not be read. */
  readonly claimed: DeliveryRecord | undefined;
}

/** Deliveries to claim. */
export interface Wanted {
  readonly workspaceId: string;
  readonly subscriptionId: string;
  readonly now: number;
  readonly limit: number;
}

type Call = { readonly workspaceId: string } & (
  | { readonly settlement: Settlement }
  | { readonly wanted: Wanted }
);

/** The output of a call: `recorded` for a settlement, `claimed` for a claim. */
interface Outcome {
  readonly recorded: DeliveryRecord | undefined;
  readonly claimed: readonly ClaimedDelivery[] | 'busy';
}

/** Few calls at a time, so that a hundred dead endpoints do not slow down the working ones. `pause` is in milliseconds. */
const paceOfFailing = { limit: 16, pause: 25 };

/** The largest number of failing subscriptions that are remembered: the ones that failed last. Others are treated like working ones. */
const failingRemembered = 10_000;

const nothing: Outcome = { recorded: undefined, claimed: [] };

/** The hot path of deliveries: one call of one function processes all pending settlements and then all claims. */
export class DeliveryBatch {
  readonly #context: ReplicaContext;
  readonly #calls: Batch<Call, Outcome>;
  /** The calls for failing endpoints, so that a hundred of them do not delay a working one. */
  readonly #callsOfFailing: Batch<Call, Outcome>;
  /** The subscriptions whose last attempt of this replica failed. */
  readonly #failing = new Set<string>();

  constructor(context: ReplicaContext) {
    this.#context = context;
    const perWorkspace = byWorkspace(context.database);
    this.#calls = new Batch((calls) => this.#run(calls), perWorkspace);
    this.#callsOfFailing = new Batch((calls) => this.#run(calls), { ...perWorkspace, ...paceOfFailing });
  }

  async settle(settlement: Settlement): Promise<DeliveryRecord | undefined> {
    const { workspaceId, claimed, attempt } = settlement;
    if (claimed !== undefined) {
      const key = keyOf(workspaceId, claimed.subscriptionId);
      if (attempt.error === undefined) this.#failing.delete(key);
      else this.#rememberFailing(key);
    }
    return (await this.#callsTo(workspaceId, claimed?.subscriptionId).add({ workspaceId, settlement }))
      .recorded;
  }

  async claim(wanted: Wanted): Promise<readonly ClaimedDelivery[]> {
    const { workspaceId, subscriptionId } = wanted;
    for (;;) {
      const { claimed } = await this.#callsTo(workspaceId, subscriptionId).add({ workspaceId, wanted });
      // Another replica claims for the same subscription at this moment.
      if (claimed !== 'busy') return claimed;
    }
  }

  #rememberFailing(key: string): void {
    this.#failing.delete(key);
    this.#failing.add(key);
    const [oldest] = this.#failing;
    if (this.#failing.size > failingRemembered && oldest !== undefined) this.#failing.delete(oldest);
  }

  #callsTo(workspaceId: string, subscriptionId = ''): Batch<Call, Outcome> {
    return this.#failing.has(keyOf(workspaceId, subscriptionId)) ? this.#callsOfFailing : this.#calls;
  }

  async #run(calls: readonly Call[]): Promise<readonly Outcome[]> {
    const { database, replica, lease, running, held, setAside } = this.#context;
    const settlements = calls.flatMap((call, index) =>
      'settlement' in call ? [{ index, input: call.settlement }] : [],
    );
    const claims = grouped(
      calls.flatMap((call, index) => ('wanted' in call ? [{ index, input: call.wanted }] : [])),
      ({ workspaceId, subscriptionId, now }) => [workspaceId, subscriptionId, String(now)],
    );
    const token = randomUUID();
    const given = settlements.map(({ input }) => input);
    const wanted = claims.map(([{ input }]) => input);
    const rows = await database.query(
      `select answer as outcome, of_index, id, subscription_id, event, url, body, status, attempts_so_far as attempts, redelivery_of,
         due_at, created_at, subscription
       from :schema.settle_and_claim(
         $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19
       )`,
      [
        given.map(({ workspaceId }) => toText(workspaceId)),
        given.map(({ claim }) => toText(claim.id)),
        given.map(({ claim }) => toText(claim.token)),
        given.map(({ attempt }) => attempt.number),
        given.map(({ attempt }) => JSON.stringify(attempt)),
        given.map(({ attempt }) => attempt.error !== undefined),
        given.map(({ after }) => after.status),
        given.map(({ after }) => (after.status === 'pending' ? after.dueAt : null)),
        given.map(({ after }) => (after.status === 'pending' ? (after.body ?? null) : null)),
        given.map(({ claimed }) => claimed === undefined),
        wanted.map(({ workspaceId }) => toText(workspaceId)),
        wanted.map(({ subscriptionId }) => toText(subscriptionId)),
        wanted.map(({ now }) => now),
        claims.map((group) => group.reduce((sum, { input }) => sum + input.limit, 0)),
        token,
        replica,
        lease,
        running?.most ?? null,
        running?.whileFailing ?? null,
      ],
      'settle_and_claim',
    );
    const outputs = new Map<number, Outcome>();
    const claimed = new Map<number, ClaimedDelivery[]>(claims.map((_, place) => [place, []]));
    for (const row of rows) {
      const place = numberIn(row, 'of_index') - 1;
      const outcome = oneOfIn(row, 'outcome', ['settled', 'claimed', 'busy']);
      if (outcome === 'claimed') {
        const read = await this.#read(wanted[place]?.workspaceId ?? '', token, row);
        if (read !== undefined) claimed.get(place)?.push(read);
      } else if (outcome === 'busy') {
        for (const { index } of claims[place] ?? []) outputs.set(index, { ...nothing, claimed: 'busy' });
      } else {
        const settled = settlements[place];
        if (settled !== undefined) {
          const { workspaceId } = settled.input;
          const recorded = await setAside.read('deliveries', workspaceId, row, (written) =>
            recordedOf(settled.input, written),
          );
          outputs.set(settled.index, { ...nothing, recorded });
        }
      }
    }
    for (const [place, group] of claims.entries()) {
      const left = claimed.get(place) ?? [];
      const { workspaceId } = group[0].input;
      // Only now nothing can fail any more: a claim without a caller would be renewed for ever.
      for (const { claim, delivery } of left) {
        held.hold({ ...claim, table: 'deliveries', workspaceId, delivery });
      }
      for (const { index, input } of group) {
        if (!outputs.has(index)) outputs.set(index, { ...nothing, claimed: left.splice(0, input.limit) });
      }
    }
    return calls.map((_, index) => outputs.get(index) ?? nothing);
  }

  async #read(workspaceId: string, token: string, row: unknown): Promise<ClaimedDelivery | undefined> {
    const { setAside } = this.#context;
    const subscriptionRow = { id: writtenIn(row, 'subscription_id'), record: writtenIn(row, 'subscription') };
    const subscription = await setAside.read(
      'subscriptions',
      workspaceId,
      subscriptionRow,
      recordIn<SubscriptionRecord>,
    );
    const delivery = await setAside.read('deliveries', workspaceId, row, deliveryIn);
    if (subscription === undefined || delivery === undefined) return undefined;
    return { claim: { id: delivery.id, token }, delivery, secret: subscription.secret };
  }
}

/** Returns the delivery after the attempt. */
function recordedOf({ claimed, attempt, after }: Settlement, row: unknown): DeliveryRecord {
  if (claimed === undefined) return deliveryIn(row);
  const { dueAt: _, ...delivery } = claimed;
  const attempted = { ...delivery, attempts: [...delivery.attempts, attempt], status: deliveryStatusIn(row) };
  if (after.status !== 'pending' || attempted.status !== 'pending') return attempted;
  const { dueAt, body = attempted.body } = after;
  return { ...attempted, body, dueAt };
}

function keyOf(workspaceId: string, subscriptionId: string): string {
  return `${workspaceId}\n${subscriptionId}`;
}
