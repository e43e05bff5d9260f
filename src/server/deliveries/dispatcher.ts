import type { Bytes } from '../../foundation/bytes.js';
import { steadyTime } from '../../foundation/clock.js';
import { signWebhook } from '../../webhooks/verification/sign.js';
import { readable } from '../model/journal-entry.js';
import type { ServerLog } from '../model/log.js';
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
export function createDispatcher(
  { environment, gaps, record, startAt, store, work }: WorkspaceContext,
  attempts: Attempts,
  log: ServerLog | undefined,
) {
  /** The concurrency limit of each subscription, by its id. */
  const limits = new Map<string, ConcurrencyLimit>();
  /** Endpoints that have not acknowledged take turns, so that any number of dead ones cannot block the others. */
  const turns = new Turns();
  /** The claims of this dispatcher. */
  const held = new Set<Claim>();
  let closed = false;

  /** Starts the due deliveries of these subscriptions. Returns at once. */
  function wake(subscriptionIds: readonly string[]): void {
    for (const subscriptionId of subscriptionIds) open(subscriptionId);
  }

  /** Sends the same bytes again. Throws if the delivery or its subscription was deleted, or is not as the caller expects. */
  async function redeliver(deliveryId: string, only?: 'if_failed'): Promise<DeliveryRecord> {
    const id = environment.newId('delivery');
    const delivery = await store.outbox.redeliver(deliveryId, id, environment.clock.now(), only);
    if (delivery === undefined) {
      throw new ServiceError(
        'not_found',
        'There is no such delivery in this workspace, or its subscription was deleted.',
      );
    }
    if (typeof delivery === 'string') throw new ConflictError(refusedRedeliveries[delivery]);
    wake([delivery.subscriptionId]);
    return delivery;
  }

  /** Schedules all pending deliveries, after the workspace was restored to an earlier state. */
  async function resume(): Promise<void> {
    const now = environment.clock.now();
    const pending = await allOf((range) => store.outbox.page({ status: 'pending' }, range));
    for (const { subscriptionId, dueAt = now } of pending) {
      if (dueAt > now) openAt(subscriptionId, dueAt);
      else open(subscriptionId);
    }
  }

  /** Discards the concurrency limits and the claims before a restore, because the restored state has none. */
  function forget(): void {
    limits.clear();
    held.clear();
  }

  /** Starts no more attempts. Claimed deliveries that are not being sent return to the outbox. */
  function close(): void {
    closed = true;
  }

  /**
   * Also aborts the running attempts. They do not count: their deliveries return to the outbox and are due as before.
   */
  async function handBack(): Promise<void> {
    close();
    const claims = [...held];
    held.clear();
    try {
      await Promise.all(claims.map((claim) => store.outbox.release(claim)));
    } finally {
      attempts.close();
    }
  }

  /** Starts another attempt to the subscription, if its limit allows one. */
  function open(subscriptionId: string): void {
    if (closed) return;
    const limit = limits.get(subscriptionId) ?? new ConcurrencyLimit();
    limits.set(subscriptionId, limit);
    if (!limit.open()) return;
    work.start(async () => {
      try {
        await drain(subscriptionId, limit);
      } finally {
        if (limit.close()) open(subscriptionId);
        else if (limit.isIdle && limits.size > endpointsRemembered) limits.delete(subscriptionId);
      }
    });
  }

  async function drain(subscriptionId: string, limit: ConcurrencyLimit): Promise<void> {
    while (!closed) {
      if (!limit.isProven) await turns.next();
      if (limit.isOneTooMany()) return;
      const [claimed] = await store.outbox.claimDue(subscriptionId, environment.clock.now(), 1);
      if (claimed === undefined) return;
      // Another delivery may be due, so a second attempt checks.
      open(subscriptionId);
      held.add(claimed.claim);
      await make(claimed, limit);
    }
  }

  async function make(claimed: ClaimedDelivery, limit: ConcurrencyLimit): Promise<void> {
    const { claim, delivery, secret } = claimed;
    if (closed) {
      held.delete(claim);
      return store.outbox.release(claim);
    }
    const isStampedAgain = delivery.attempts.length > 0 && gaps().retriedBody === 're-stamped';
    const timestamp = isStampedAgain ? environment.deliveryClock.now() : undefined;
    const { body, signature, problem } = signed(delivery.body, timestamp, secret);
    const startedAt = environment.clock.now();
    const { url } = delivery;
    const outgoing = { delivery, secret, url, body, signature, redirects: gaps().receiverRedirect };
    const result =
      problem ??
      (await orRelease(
        () => attempts.make(outgoing),
        () => {
          held.delete(claim);
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
    work.alongside(() => settle(claim, attempt));
  }

  async function settle(claim: Claim, attempt: AttemptRecord): Promise<void> {
    const after = afterAttempt(attempt);
    const recorded = await retryWhileUnavailable(() =>
      store.outbox.recordAttempt(claim, attempt, after),
    ).finally(() => held.delete(claim));
    // The claim ended during the attempt, so the attempt does not count.
    if (recorded === undefined) return;
    record({ type: 'attempt', at: environment.clock.now(), delivery: readable(recorded), attempt });
    logAttempt(recorded, attempt);
    if (recorded.dueAt !== undefined) openAt(recorded.subscriptionId, recorded.dueAt);
  }

  /** The status after an attempt. `retryBackoff` has one wait for each retry. */
  function afterAttempt({ number, error }: AttemptRecord): AfterAttempt {
    if (error === undefined) return { status: 'delivered' };
    const wait = gaps().retryBackoff[number - 1];
    if (wait === undefined) return { status: 'failed' };
    return { status: 'pending', dueAt: environment.clock.now() + toMilliseconds(wait) };
  }

  function openAt(subscriptionId: string, time: number): void {
    startAt(time, () => open(subscriptionId));
  }

  function logAttempt(delivery: DeliveryRecord, attempt: AttemptRecord): void {
    log?.({
      type: 'delivery',
      time: new Date(environment.clock.now()).toISOString(),
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

  return { wake, redeliver, resume, forget, close, handBack };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

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
