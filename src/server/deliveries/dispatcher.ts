import { signWebhook } from '../../webhooks/verification/sign.js';
import { readable } from '../model/delivery.js';
import type { ServerLog } from '../model/log.js';
import type { AttemptRecord, DeliveryRecord } from '../model/records.js';
import type { WorkspaceContext } from '../service/context.js';
import type { Claim } from '../store/claim.js';
import type { AfterAttempt, ClaimedDelivery } from '../store/outbox-store.js';
import { toMilliseconds } from '../time/duration.js';
import { Turns } from '../time/turns.js';
import type { Attempts } from './attempts.js';
import { Lanes } from './lanes.js';
import { restamp } from './restamp.js';
import type { Attempt } from './sender.js';

/** Of how many endpoints it is remembered whether they acknowledge. */
const endpointsRemembered = 1_000;

/** Takes a workspace's due deliveries from the outbox, has them sent, and decides what follows: §6 and §8. */
export class Dispatcher {
  readonly #context: WorkspaceContext;
  readonly #attempts: Attempts;
  readonly #log: ServerLog | undefined;
  /** The lanes to each subscription. */
  readonly #lanes = new Map<string, Lanes>();
  /** Endpoints that are dead, or may be, take turns: however many they are, one that acknowledges goes on beside them. */
  readonly #turns = new Turns();
  /** What this dispatcher holds. */
  readonly #claims = new Set<Claim>();
  #closed = false;

  constructor(context: WorkspaceContext, attempts: Attempts, log: ServerLog | undefined) {
    this.#context = context;
    this.#attempts = attempts;
    this.#log = log;
  }

  /** Starts what is due for these subscriptions. Returns at once. */
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

  /** Opens one more lane to the subscription, where one may be. */
  #open(subscriptionId: string): void {
    if (this.#closed) return;
    const lanes = this.#lanesTo(subscriptionId);
    if (!lanes.open()) return;
    this.#context.work.start(async () => {
      try {
        await this.#drain(subscriptionId, lanes);
      } finally {
        if (lanes.close()) this.#open(subscriptionId);
        else if (lanes.isIdle && this.#lanes.size > endpointsRemembered) this.#lanes.delete(subscriptionId);
      }
    });
  }

  #lanesTo(subscriptionId: string): Lanes {
    const known = this.#lanes.get(subscriptionId);
    if (known !== undefined) return known;
    const lanes = new Lanes();
    this.#lanes.set(subscriptionId, lanes);
    return lanes;
  }

  async #drain(subscriptionId: string, lanes: Lanes): Promise<void> {
    const { store, environment } = this.#context;
    while (!this.#closed) {
      if (!lanes.isProven) await this.#turns.next();
      if (lanes.isOneTooMany()) return;
      const [claimed] = await store.outbox.claimDue(subscriptionId, environment.clock.now(), 1);
      if (claimed === undefined) return;
      // Where there is one there may be more.
      this.#open(subscriptionId);
      this.#claims.add(claimed.claim);
      try {
        await this.#attempt(claimed, lanes);
      } finally {
        this.#claims.delete(claimed.claim);
      }
    }
  }

  async #attempt(claimed: ClaimedDelivery, lanes: Lanes): Promise<void> {
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
    if (attempt.error === undefined) lanes.acknowledged();
    else lanes.failed();
    record({ type: 'attempt', at: environment.clock.now(), delivery: readable(recorded), attempt });
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
