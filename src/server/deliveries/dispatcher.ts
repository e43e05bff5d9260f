import { signWebhook } from '../../webhooks/verification/sign.js';
import type { ServerLog } from '../model/log.js';
import type { AttemptRecord, DeliveryRecord } from '../model/records.js';
import type { WorkspaceContext } from '../service/context.js';
import type { Claim } from '../store/claim.js';
import type { AfterAttempt, ClaimedDelivery } from '../store/outbox-store.js';
import { toMilliseconds } from '../time/duration.js';
import type { Attempts } from './attempts.js';
import { restamp } from './restamp.js';
import type { Attempt } from './sender.js';

/**
 * How many attempts may be under way to one subscription at a time. What waits beyond that waits in the
 * outbox, so that a slow endpoint holds up nothing but itself.
 */
const attemptsAtOnce = 16;

/** How many to one whose last attempt failed: an endpoint that is down holds few connections, until it answers again. */
const attemptsAtOnceToAFailing = 2;

/** Takes a workspace's due deliveries from the outbox, has them sent, and decides what follows: §6 and §8. */
export class Dispatcher {
  readonly #context: WorkspaceContext;
  readonly #attempts: Attempts;
  readonly #log: ServerLog;
  /** How many lanes are open to each subscription; a lane makes one attempt after another. */
  readonly #lanes = new Map<string, number>();
  /** Subscriptions whose last attempt failed. */
  readonly #failing = new Set<string>();
  /** Subscriptions that were woken while all their lanes were taken. */
  readonly #missed = new Set<string>();
  /** What this dispatcher holds. */
  readonly #claims = new Set<Claim>();
  #closed = false;

  constructor(context: WorkspaceContext, attempts: Attempts, log: ServerLog) {
    this.#context = context;
    this.#attempts = attempts;
    this.#log = log;
  }

  /** Starts whatever is due for these subscriptions. Returns at once. */
  wake(subscriptionIds: readonly string[]): void {
    for (const subscriptionId of subscriptionIds) this.#open(subscriptionId);
  }

  /** Has everything that waits attempted in its time, for a workspace that was put back to an earlier state. */
  async resume(): Promise<void> {
    const now = this.#context.environment.clock.now();
    for (const { status, subscriptionId, dueAt = now } of await this.#context.store.outbox.list()) {
      if (status !== 'pending') continue;
      if (dueAt > now) this.#wakeAt(subscriptionId, dueAt);
      else this.#open(subscriptionId);
    }
  }

  /** Forgets what it has begun, for a workspace whose clock has forgotten it: none of it goes on. */
  forget(): void {
    this.#lanes.clear();
    this.#failing.clear();
    this.#missed.clear();
    this.#claims.clear();
  }

  /** Starts no more attempts; what is claimed and not under way goes back into the outbox. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Gives up the attempts under way too: they count for nothing, and what they were to deliver goes back into the outbox,
   * due as it was.
   */
  async handBack(): Promise<void> {
    this.close();
    const claims = [...this.#claims];
    this.#claims.clear();
    await Promise.all(claims.map((claim) => this.#context.store.outbox.release(claim)));
    this.#attempts.close();
  }

  /** Opens one more lane to the subscription, unless as many are open as may be. */
  #open(subscriptionId: string): void {
    if (this.#closed) return;
    const open = this.#lanes.get(subscriptionId) ?? 0;
    if (open >= this.#lanesOf(subscriptionId)) {
      this.#missed.add(subscriptionId);
      return;
    }
    this.#lanes.set(subscriptionId, open + 1);
    this.#context.work.start(async () => {
      try {
        await this.#drain(subscriptionId);
      } finally {
        this.#shut(subscriptionId);
      }
    });
  }

  #lanesOf(subscriptionId: string): number {
    return this.#failing.has(subscriptionId) ? attemptsAtOnceToAFailing : attemptsAtOnce;
  }

  #shut(subscriptionId: string): void {
    const open = (this.#lanes.get(subscriptionId) ?? 0) - 1;
    if (open > 0) this.#lanes.set(subscriptionId, open);
    else this.#lanes.delete(subscriptionId);
    // What came due while this lane was looking found no lane free, and this one may have looked too early.
    if (this.#missed.delete(subscriptionId)) this.#open(subscriptionId);
  }

  async #drain(subscriptionId: string): Promise<void> {
    const { store, environment } = this.#context;
    while (!this.#closed) {
      // The endpoint has begun to fail meanwhile; one of the lanes that are left, or are opened for it, goes on.
      if ((this.#lanes.get(subscriptionId) ?? 0) > this.#lanesOf(subscriptionId)) {
        this.#missed.add(subscriptionId);
        return;
      }
      const [claimed] = await store.outbox.claimDue(subscriptionId, environment.clock.now(), 1);
      if (claimed === undefined) return;
      // Where there is one there may be more.
      this.#open(subscriptionId);
      this.#claims.add(claimed.claim);
      try {
        await this.#attempt(claimed);
      } finally {
        this.#claims.delete(claimed.claim);
      }
    }
  }

  async #attempt(claimed: ClaimedDelivery): Promise<void> {
    const { claim, delivery, secret } = claimed;
    const { store, environment, record, gaps } = this.#context;
    if (this.#closed) return store.outbox.release(claim);
    const body = this.#bodyOf(delivery);
    const signature = signWebhook(body, secret);
    const startedAt = environment.clock.now();
    const outgoing: Attempt = { url: delivery.url, body, signature, redirects: gaps.receiverRedirect };
    const result = await this.#attempts.make(claimed, outgoing);
    const attempt: AttemptRecord = { number: delivery.attempts.length + 1, startedAt, signature, ...result };
    const recorded = await store.outbox.recordAttempt(claim, attempt, this.#afterAttempt(attempt));
    // Given up meanwhile: it is as if there had been no attempt.
    if (recorded === undefined) return;
    if (attempt.error === undefined) this.#failing.delete(delivery.subscriptionId);
    else this.#failing.add(delivery.subscriptionId);
    record({ type: 'attempt', at: environment.clock.now(), delivery: recorded, attempt });
    this.#logAttempt(recorded, attempt);
    if (recorded.dueAt !== undefined) this.#wakeAt(recorded.subscriptionId, recorded.dueAt);
  }

  /** What this attempt sends: the bytes that the delivery began with, or in a retry the same at another time. */
  #bodyOf({ attempts, body }: DeliveryRecord): Uint8Array<ArrayBuffer> {
    const { gaps, environment } = this.#context;
    if (attempts.length === 0 || gaps.retriedBody === 'same') return body;
    return restamp(body, environment.deliveryClock.now());
  }

  /** §8: as many retries as there are waits. */
  #afterAttempt({ number, error }: AttemptRecord): AfterAttempt {
    if (error === undefined) return { status: 'delivered' };
    const wait = this.#context.gaps.retryBackoff[number - 1];
    if (wait === undefined) return { status: 'failed' };
    return { status: 'pending', dueAt: this.#context.environment.clock.now() + toMilliseconds(wait) };
  }

  #wakeAt(subscriptionId: string, time: number): void {
    const { clock } = this.#context.environment;
    clock.setTimer(() => this.#open(subscriptionId), Math.max(0, time - clock.now()));
  }

  #logAttempt(delivery: DeliveryRecord, attempt: AttemptRecord): void {
    this.#log({
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
    });
  }
}
