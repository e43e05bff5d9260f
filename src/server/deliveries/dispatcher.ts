import type { Bytes } from '../../foundation/bytes.js';
import { steadyTime } from '../../foundation/clock.js';
import { signWebhook } from '../../webhooks/verification/sign.js';
import { readable } from '../model/journal-entry.js';
import type { ServerLog } from '../model/log.js';
import { allOf } from '../model/page.js';
import type { AttemptRecord, DeliveryRecord } from '../model/records.js';
import { ServiceError, StoreUnavailableError } from '../model/service-error.js';
import type { WorkspaceContext } from '../service/context.js';
import { type AfterAttempt, type Claim, type ClaimedDelivery, orRelease } from '../store/store.js';
import { toMilliseconds } from '../time/duration.js';
import { lookAgainAfter, machineClock } from '../time/machine-clock.js';
import type { AttemptOutcome, Attempts } from './attempts.js';
import { ConcurrencyLimit, Turns } from './concurrency-limit.js';
import { type Attempt, bytesOf, describe } from './sender.js';

/** The number of idle endpoints whose concurrency limits are kept. */
const endpointsRemembered = 1_000;

/** Claims a workspace's due deliveries from the outbox, attempts them, and schedules the retries. */
export class Dispatcher {
  readonly #context: WorkspaceContext;
  readonly #attempts: Attempts;
  readonly #log: ServerLog | undefined;
  /** The concurrency limit of each subscription, by its id. */
  readonly #limits = new Map<string, ConcurrencyLimit>();
  /** Endpoints that have not acknowledged take turns, so that any number of dead ones cannot block the others. */
  readonly #turns = new Turns();
  /** The claims of this dispatcher. */
  readonly #claims = new Set<Claim>();
  #closed = false;

  constructor(context: WorkspaceContext, attempts: Attempts, log: ServerLog | undefined) {
    this.#context = context;
    this.#attempts = attempts;
    this.#log = log;
  }

  /** Starts the due deliveries of these subscriptions. Returns at once. */
  wake(subscriptionIds: readonly string[]): void {
    for (const subscriptionId of subscriptionIds) this.#open(subscriptionId);
  }

  /** Sends the same bytes again. Throws if the delivery or its subscription was deleted. */
  async redeliver(deliveryId: string): Promise<DeliveryRecord> {
    const { store, environment } = this.#context;
    const id = environment.newId('delivery');
    const delivery = await store.outbox.redeliver(deliveryId, id, environment.clock.now());
    if (delivery === undefined) {
      throw new ServiceError(
        'not_found',
        'There is no such delivery in this workspace, or its subscription was deleted.',
      );
    }
    this.wake([delivery.subscriptionId]);
    return delivery;
  }

  /** Schedules all pending deliveries, after the workspace was restored to an earlier state. */
  async resume(): Promise<void> {
    const now = this.#context.environment.clock.now();
    const { outbox } = this.#context.store;
    const pending = await allOf((range) => outbox.page({ status: 'pending' }, range));
    for (const { subscriptionId, dueAt = now } of pending) {
      if (dueAt > now) this.#wakeAt(subscriptionId, dueAt);
      else this.#open(subscriptionId);
    }
  }

  /** Discards the concurrency limits and the claims before a restore, because the restored state has none. */
  forget(): void {
    this.#limits.clear();
    this.#claims.clear();
  }

  /** Starts no more attempts. Claimed deliveries that are not being sent return to the outbox. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Also aborts the running attempts. They do not count: their deliveries return to the outbox and are due as before.
   */
  async handBack(): Promise<void> {
    this.close();
    const claims = [...this.#claims];
    this.#claims.clear();
    try {
      await Promise.all(claims.map((claim) => this.#context.store.outbox.release(claim)));
    } finally {
      this.#attempts.close();
    }
  }

  /** Starts another attempt to the subscription, if its limit allows one. */
  #open(subscriptionId: string): void {
    if (this.#closed) return;
    const limit = this.#limitOf(subscriptionId);
    if (!limit.open()) return;
    this.#context.work.start(async () => {
      try {
        await this.#drain(subscriptionId, limit);
      } finally {
        if (limit.close()) this.#open(subscriptionId);
        else if (limit.isIdle && this.#limits.size > endpointsRemembered) this.#limits.delete(subscriptionId);
      }
    });
  }

  #limitOf(subscriptionId: string): ConcurrencyLimit {
    const known = this.#limits.get(subscriptionId);
    if (known !== undefined) return known;
    const limit = new ConcurrencyLimit();
    this.#limits.set(subscriptionId, limit);
    return limit;
  }

  async #drain(subscriptionId: string, limit: ConcurrencyLimit): Promise<void> {
    const { store, environment } = this.#context;
    while (!this.#closed) {
      if (!limit.isProven) await this.#turns.next();
      if (limit.isOneTooMany()) return;
      const [claimed] = await store.outbox.claimDue(subscriptionId, environment.clock.now(), 1);
      if (claimed === undefined) return;
      // Another delivery may be due, so a second attempt checks.
      this.#open(subscriptionId);
      this.#claims.add(claimed.claim);
      await this.#attempt(claimed, limit);
    }
  }

  async #attempt(claimed: ClaimedDelivery, limit: ConcurrencyLimit): Promise<void> {
    const { claim, delivery, secret } = claimed;
    const { store, environment, gaps, work } = this.#context;
    if (this.#closed) {
      this.#claims.delete(claim);
      return store.outbox.release(claim);
    }
    const timestamp = this.#newTimestampOf(delivery);
    const { body, signature, problem } = signed(delivery.body, timestamp, secret);
    const startedAt = environment.clock.now();
    const outgoing: Attempt = { url: delivery.url, body, signature, redirects: gaps.receiverRedirect };
    const result =
      problem ??
      (await orRelease(
        () => this.#attempts.make(claimed, outgoing),
        () => {
          this.#claims.delete(claim);
          return store.outbox.release(claim);
        },
      ));
    const attempt: AttemptRecord = {
      number: delivery.attempts.length + 1,
      startedAt,
      signature,
      ...(timestamp !== undefined && { timestamp }),
      ...result,
    };
    if (attempt.error === undefined) limit.acknowledged();
    else limit.failed();
    // The next attempt does not wait for the record, so that a store can record attempts and claim the next deliveries in one step.
    work.alongside(() => this.#record(claim, attempt));
  }

  async #record(claim: Claim, attempt: AttemptRecord): Promise<void> {
    const { store, environment, record } = this.#context;
    const after = this.#afterAttempt(attempt);
    const recorded = await retryWhileUnavailable(() =>
      store.outbox.recordAttempt(claim, attempt, after),
    ).finally(() => this.#claims.delete(claim));
    // The claim ended during the attempt, so the attempt does not count.
    if (recorded === undefined) return;
    record({ type: 'attempt', at: environment.clock.now(), delivery: readable(recorded), attempt });
    this.#logAttempt(recorded, attempt);
    if (recorded.dueAt !== undefined) this.#wakeAt(recorded.subscriptionId, recorded.dueAt);
  }

  /** The new timestamp of a retry, if `specGaps.retriedBody` requires one. Undefined: send the bytes of the delivery. */
  #newTimestampOf({ attempts }: DeliveryRecord): number | undefined {
    const { gaps, environment } = this.#context;
    const isNew = attempts.length > 0 && gaps.retriedBody === 're-stamped';
    return isNew ? environment.deliveryClock.now() : undefined;
  }

  /** The status after an attempt. `retryBackoff` has one wait for each retry. */
  #afterAttempt({ number, error }: AttemptRecord): AfterAttempt {
    if (error === undefined) return { status: 'delivered' };
    const wait = this.#context.gaps.retryBackoff[number - 1];
    if (wait === undefined) return { status: 'failed' };
    return { status: 'pending', dueAt: this.#context.environment.clock.now() + toMilliseconds(wait) };
  }

  #wakeAt(subscriptionId: string, time: number): void {
    this.#context.startAt(time, () => this.#open(subscriptionId));
  }

  #logAttempt(delivery: DeliveryRecord, attempt: AttemptRecord): void {
    this.#log?.({
      type: 'delivery',
      time: new Date(this.#context.environment.clock.now()).toISOString(),
      deliveryId: delivery.id,
      subscriptionId: delivery.subscriptionId,
      event: delivery.event,
      attempt: attempt.number,
      ...(attempt.status !== undefined && { status: attempt.status }),
      ...(attempt.error !== undefined && { error: attempt.error }),
      ...(attempt.faults && { faults: attempt.faults.map(({ kind }) => kind) }),
      outcome: delivery.status === 'pending' ? 'retrying' : delivery.status,
      ...(delivery.dueAt !== undefined && { nextAttempt: new Date(delivery.dueAt).toISOString() }),
    });
  }
}

/** Returns the exact bytes of an attempt and their signature, or why there is none: then the attempt fails, and its claim ends. */
function signed(
  first: Bytes,
  timestamp: number | undefined,
  secret: string,
): { readonly body: Bytes; readonly signature: string; readonly problem?: AttemptOutcome } {
  try {
    const body = bytesOf(first, timestamp);
    return { body, signature: signWebhook(body, secret) };
  } catch (error) {
    const problem = { error: `The delivery cannot be signed: ${describe(error)}` };
    return { body: first, signature: '', problem };
  }
}

/** How long a step is repeated while the store is unreachable, and the pause between two tries. In milliseconds. */
const longest = 10_000;
const pause = 250;

/**
 * Repeats a step while the store is unreachable, so that the result of an attempt or send is not lost. Begins no try after
 * ten seconds.
 */
export async function retryWhileUnavailable<Result>(step: () => Promise<Result>): Promise<Result> {
  const end = steadyTime(machineClock) + longest;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || steadyTime(machineClock) >= end) throw error;
      await lookAgainAfter(pause);
    }
  }
}
