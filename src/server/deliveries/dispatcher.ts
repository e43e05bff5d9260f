import type { Bytes } from '../../foundation/bytes.js';
import { steadyTime } from '../../foundation/clock.js';
import { signWebhook } from '../../webhooks/verification/sign.js';
import { readable } from '../model/journal-entry.js';
import type { ServerLog, ServerLogEntry } from '../model/log.js';
import { allOf } from '../model/page.js';
import type { AttemptRecord, DeliveryRecord } from '../model/records.js';
import { ConflictError, ServiceError, StoreUnavailableError } from '../model/service-error.js';
import type { WorkspaceContext } from '../service/context.js';
import {
  type AfterAttempt,
  type Claim,
  type ClaimedDelivery,
  orRelease,
  type RefusedRedelivery,
} from '../store/store.js';
import { toMilliseconds } from '../time/duration.js';
import { lookAgainAfter, machineClock } from '../time/machine-clock.js';
import type { Attempts } from './attempts.js';
import { ConcurrencyLimit, Turns } from './concurrency-limit.js';
import { type AttemptResult, bytesOf, describe } from './sender.js';

const refusedRedeliveries: Readonly<Record<RefusedRedelivery, string>> = {
  not_failed: 'The delivery has not failed: it is pending, delivered or cancelled.',
  redelivered: 'The delivery already has a redelivery, which is under way or has ended.',
};

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
  readonly #held = new Set<Claim>();
  #isClosed = false;

  constructor(context: WorkspaceContext, attempts: Attempts, log: ServerLog | undefined) {
    this.#context = context;
    this.#attempts = attempts;
    this.#log = log;
  }

  /** Starts the due deliveries of these subscriptions. Returns at once. */
  wake(subscriptionIds: readonly string[]): void {
    for (const subscriptionId of subscriptionIds) this.#open(subscriptionId);
  }

  /** Sends the same bytes again. Throws if the delivery or its subscription was deleted, or is not as the caller expects. */
  async redeliver(deliveryId: string, only?: 'if_failed'): Promise<DeliveryRecord> {
    const { environment, store } = this.#context;
    const id = environment.newId('delivery');
    const delivery = await store.outbox.redeliver(deliveryId, id, environment.clock.now(), only);
    if (delivery === undefined) {
      throw new ServiceError(
        'not_found',
        'There is no such delivery in this workspace, or its subscription was deleted.',
      );
    }
    if (typeof delivery === 'string') throw new ConflictError(refusedRedeliveries[delivery]);
    this.wake([delivery.subscriptionId]);
    return delivery;
  }

  /** Schedules all pending deliveries, after the workspace was restored to an earlier state. */
  async resume(): Promise<void> {
    const { environment, store } = this.#context;
    const now = environment.clock.now();
    const pending = await allOf((range) => store.outbox.page({ status: 'pending' }, range));
    for (const { subscriptionId, dueAt = now } of pending) {
      if (dueAt > now) this.#openAt(subscriptionId, dueAt);
      else this.#open(subscriptionId);
    }
  }

  /** Discards the concurrency limits and the claims before a restore, because the restored state has none. */
  forget(): void {
    this.#limits.clear();
    this.#held.clear();
  }

  /** Starts no more attempts. Claimed deliveries that are not being sent return to the outbox. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Also aborts the running attempts. They do not count: their deliveries return to the outbox and are due as before.
   */
  async handBack(): Promise<void> {
    this.close();
    const claims = [...this.#held];
    this.#held.clear();
    try {
      await Promise.all(claims.map((claim) => this.#context.store.outbox.release(claim)));
    } finally {
      this.#attempts.close();
    }
  }

  #openAt(subscriptionId: string, time: number): void {
    this.#context.startAt(time, () => this.#open(subscriptionId));
  }

  /** Starts another attempt to the subscription, if its limit allows one. */
  #open(subscriptionId: string): void {
    if (this.#isClosed) return;
    const limit = this.#limits.get(subscriptionId) ?? new ConcurrencyLimit();
    this.#limits.set(subscriptionId, limit);
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

  /** Attempts the due deliveries of a subscription, one after the other. */
  async #drain(subscriptionId: string, limit: ConcurrencyLimit): Promise<void> {
    const { environment, store, work } = this.#context;
    while (!this.#isClosed) {
      if (!limit.isProven) await this.#turns.next();
      if (limit.isOneTooMany()) return;
      const [claimed] = await store.outbox.claimDue(subscriptionId, environment.clock.now(), 1);
      if (claimed === undefined) return;
      // Another delivery may be due, so a second attempt checks.
      this.#open(subscriptionId);
      this.#held.add(claimed.claim);
      if (this.#isClosed) return this.#release(claimed.claim);
      const attempt = await this.#attempt(claimed);
      if (attempt.error === undefined) limit.acknowledged();
      else limit.failed();
      // The next attempt does not wait for the record, so that a store can record attempts and claim the next deliveries in one step.
      work.alongside(() => this.#settle(claimed.claim, attempt));
    }
  }

  /** Makes one attempt. */
  async #attempt({ claim, delivery, secret }: ClaimedDelivery): Promise<AttemptRecord> {
    const { environment, gaps } = this.#context;
    const isStampedAgain = delivery.attempts.length > 0 && gaps().retriedBody === 're-stamped';
    const timestamp = isStampedAgain ? environment.deliveryClock.now() : undefined;
    const { body, signature, problem } = signed(delivery.body, timestamp, secret);
    const startedAt = environment.clock.now();
    const { url } = delivery;
    const outgoing = { delivery, secret, url, body, signature, redirects: gaps().receiverRedirect };
    const result =
      problem ??
      (await orRelease(
        () => this.#attempts.make(outgoing),
        () => this.#release(claim),
      ));
    return {
      number: delivery.attempts.length + 1,
      startedAt,
      signature,
      ...(timestamp !== undefined && { timestamp }),
      ...result,
    };
  }

  #release(claim: Claim): Promise<void> {
    this.#held.delete(claim);
    return this.#context.store.outbox.release(claim);
  }

  /** Records an attempt, and schedules the next one. */
  async #settle(claim: Claim, attempt: AttemptRecord): Promise<void> {
    const { environment, record, store } = this.#context;
    const after = this.#after(attempt);
    const recorded = await retryWhileUnavailable(() =>
      store.outbox.recordAttempt(claim, attempt, after),
    ).finally(() => this.#held.delete(claim));
    // The claim ended during the attempt, so the attempt does not count.
    if (recorded === undefined) return;
    const now = environment.clock.now();
    record({ type: 'attempt', at: now, delivery: readable(recorded), attempt });
    this.#log?.(logEntry(recorded, attempt, now));
    if (recorded.dueAt !== undefined) this.#openAt(recorded.subscriptionId, recorded.dueAt);
  }

  /** The status after an attempt. `retryBackoff` has one wait for each retry. */
  #after({ number, error }: AttemptRecord): AfterAttempt {
    const { environment, gaps } = this.#context;
    if (error === undefined) return { status: 'delivered' };
    const wait = gaps().retryBackoff[number - 1];
    if (wait === undefined) return { status: 'failed' };
    return { status: 'pending', dueAt: environment.clock.now() + toMilliseconds(wait) };
  }
}

function logEntry(delivery: DeliveryRecord, attempt: AttemptRecord, now: number): ServerLogEntry {
  return {
    type: 'delivery',
    time: new Date(now).toISOString(),
    deliveryId: delivery.id,
    subscriptionId: delivery.subscriptionId,
    event: delivery.event,
    attempt: attempt.number,
    ...(attempt.status !== undefined && { status: attempt.status }),
    ...(attempt.error !== undefined && { error: attempt.error }),
    ...(attempt.faults && { faults: attempt.faults.map(({ kind }) => kind) }),
    outcome: delivery.status === 'pending' ? 'retrying' : delivery.status,
    ...(delivery.dueAt !== undefined && { nextAttempt: new Date(delivery.dueAt).toISOString() }),
  };
}

/** Returns the exact bytes of an attempt and their signature, or why there is none: then the attempt fails, and its claim ends. */
function signed(
  first: Bytes,
  timestamp: number | undefined,
  secret: string,
): { readonly body: Bytes; readonly signature: string; readonly problem?: AttemptResult } {
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
