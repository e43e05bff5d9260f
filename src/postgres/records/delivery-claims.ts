import { randomUUID } from 'node:crypto';
import type { AttemptRecord, DeliveryRecord, SubscriptionRecord } from '../../server/model/records.js';
import type { AfterAttempt, Claim, ClaimedDelivery } from '../../server/store/store.js';
import { Batch, type CallOutput, conflict, type Group, grouped, type Indexed } from '../database/batch.js';
import { numberIn, oneOfIn, recordIn, writtenIn } from '../database/rows.js';
import { composite, toText } from '../database/text.js';
import { deliveryIn, deliveryStatuses } from './delivery-rows.js';
import type { RecordsContext } from './replica-context.js';
import { WorkspacePart } from './workspace-part.js';

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
const paces = { working: {}, untried: { limit: 32 }, failing: { limit: 16, pause: 100 } } as const;

/** What is known of an endpoint, by its last attempt. */
type Endpoint = keyof typeof paces;

/** The largest number of subscriptions whose last attempts are remembered: the latest ones. */
const remembered = 10_000;

/**
 * The hot path of one workspace's deliveries: one statement records the attempts of many callers, and then makes their claims.
 */
export class DeliveryClaims extends WorkspacePart {
  /** Each with a connection of its own, so that dead endpoints do not delay a working one. */
  readonly #batches: Readonly<Record<Endpoint, Batch<Call, Processed>>> = {
    working: this.#batchOf('working'),
    untried: this.#batchOf('untried'),
    failing: this.#batchOf('failing'),
  };
  /** The outcome of the last attempt of this replica to each subscription. */
  readonly #last = new Map<string, Endpoint>();
  readonly #find: (deliveryId: string) => Promise<DeliveryRecord | undefined>;

  /** @param find - Finds the delivery of another replica's claim. */
  constructor(context: RecordsContext, find: (deliveryId: string) => Promise<DeliveryRecord | undefined>) {
    super(context);
    this.#find = find;
  }

  async due(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]> {
    const { claimed } = await this.#callsTo(subscriptionId).add({ wanted: { subscriptionId, now, limit } });
    return claimed ?? [];
  }

  async record(
    claim: Claim,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined> {
    const claimed = this.context.held.take(claim)?.delivery;
    if (claimed !== undefined) this.#noteOutcome(claimed.subscriptionId, attempt);
    const settlement = { claim, attempt, after, claimed };
    return (await this.#callsTo(claimed?.subscriptionId).add({ settlement })).recorded;
  }

  #noteOutcome(subscriptionId: string, { error }: AttemptRecord): void {
    this.#last.delete(subscriptionId);
    this.#last.set(subscriptionId, error === undefined ? 'working' : 'failing');
    const [oldest = subscriptionId] = this.#last.keys();
    if (this.#last.size > remembered) this.#last.delete(oldest);
  }

  #callsTo(subscriptionId = ''): Batch<Call, Processed> {
    return this.#batches[this.#last.get(subscriptionId) ?? 'untried'];
  }

  #batchOf(endpoint: Endpoint): Batch<Call, Processed> {
    return new Batch((calls) => this.#process(calls), paces[endpoint]);
  }

  async #process(calls: readonly Call[]): Promise<readonly CallOutput<Processed>[]> {
    const settlements = calls.flatMap((call, index): Indexed<Settlement>[] =>
      'settlement' in call ? [[index, call.settlement]] : [],
    );
    const claims = grouped(
      calls.flatMap((call, index): Indexed<Wanted>[] => ('wanted' in call ? [[index, call.wanted]] : [])),
      ({ subscriptionId, now }) => JSON.stringify([subscriptionId, now]),
    );
    const token = randomUUID();
    const rows = await this.#recordAndClaim(
      settlements.map(([, settlement]) => settlement),
      claims.map((group) => wantedBy(group)),
      token,
    );
    const outputs = new Map<number, CallOutput<Processed>>();
    const claimed = claims.map((): ClaimedDelivery[] => []);
    for (const row of rows) {
      const place = numberIn(row, 'of_index') - 1;
      const outcome = oneOfIn(row, 'outcome', ['recorded', 'claimed', 'busy']);
      if (outcome === 'recorded') {
        for (const [index, settlement] of settlements.slice(place, place + 1)) {
          outputs.set(index, { recorded: await this.#recorded(settlement, row) });
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
      this.#hold(left);
      for (const [index, { limit }] of group) {
        if (!outputs.has(index)) outputs.set(index, { claimed: left.splice(0, limit) });
      }
    }
    return calls.map((_, index) => outputs.get(index) ?? {});
  }

  /** Runs one statement, which commits once: `record_attempts`, `claim_due` or both, in this order. */
  #recordAndClaim(
    settlements: readonly Settlement[],
    wanted: readonly Wanted[],
    token: string,
  ): Promise<readonly unknown[]> {
    const { database, workspace, replica, lease, running } = this.context;
    const attempts = settlements.map(({ claim, attempt, after }) =>
      composite([
        toText(claim.id),
        toText(claim.token),
        attempt.number,
        JSON.stringify(attempt),
        attempt.error !== undefined,
        after.status,
        after.status === 'pending' ? after.dueAt : null,
      ]),
    );
    const claims = [
      wanted.map(({ subscriptionId, now, limit }) => composite([toText(subscriptionId), now, limit])),
      token,
      replica,
      lease,
      running?.most ?? null,
      running?.whileFailing ?? null,
    ];
    if (wanted.length === 0) {
      return database.query(recordAttempts, [workspace, attempts], 'record_attempts');
    }
    if (settlements.length === 0) return database.query(claimDue, [workspace, ...claims], 'claim_due');
    return database.query(recordAndClaim, [workspace, ...claims, attempts], 'record_and_claim');
  }

  /** Holds claims that have a caller. Only when nothing can fail any more: a claim without a caller would be renewed for ever. */
  #hold(claimed: readonly ClaimedDelivery[]): void {
    const { held, workspace } = this.context;
    for (const { claim, delivery } of claimed) held.hold({ ...claim, table: 'claims', workspace, delivery });
  }

  /** Returns the delivery after the attempt. */
  async #recorded({ claim, claimed, attempt, after }: Settlement, row: unknown) {
    // The claim of another replica, so its content is not known here.
    if (claimed === undefined) return this.#find(claim.id);
    const { dueAt: _, ...delivery } = claimed;
    const status = oneOfIn(row, 'status', deliveryStatuses);
    const attempted = { ...delivery, attempts: [...delivery.attempts, attempt], status };
    if (after.status !== 'pending' || status !== 'pending') return attempted;
    return { ...attempted, dueAt: after.dueAt };
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

const recordAttempts = `select 'recorded' as outcome, of_index, status from :schema.record_attempts($1, $2)`;
const claimDue = 'select * from :schema.claim_due($1, $2, $3, $4, $5, $6, $7)';
/** Runs both functions, the first one first. */
const recordAndClaim = `
  select 'recorded' as outcome, of_index, null as id, null as subscription_id, null as event, null as url, null as body, status,
    null as attempts, null as redelivery_of, null as due_at, null as created_at, null as subscription
  from :schema.record_attempts($1, $8)
  union all
  ${claimDue}`;

/** Returns what the claims for one subscription want together. */
function wantedBy(group: Group<Wanted>): Wanted {
  const [[, first]] = group;
  return { ...first, limit: group.reduce((sum, [, { limit }]) => sum + limit, 0) };
}
