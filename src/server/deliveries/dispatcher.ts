import { signWebhook } from '../../webhooks/sign.js';
import type { Work } from '../control/work.js';
import type { Environment } from '../environment.js';
import type { ServerLog } from '../log.js';
import type { AttemptRecord, ClaimedDelivery, DeliveryRecord } from '../store/records.js';
import type { AfterAttempt, WorkspaceStore } from '../store/store.js';
import type { Sender } from './sender.js';

/**
 * How many attempts may be under way to one subscription at a time. What waits beyond that waits in the
 * outbox, so that a slow endpoint holds up nothing but itself.
 */
const attemptsAtOnce = 16;

export interface DispatcherOptions {
  readonly environment: Environment;
  readonly work: Work;
  readonly sender: Sender;
  /** Milliseconds before each retry; as many retries as there are entries. */
  readonly backoff: readonly number[];
  readonly log: ServerLog;
}

/** Takes due deliveries from the outbox, has them sent, and decides what follows: §6 and §8. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #underWay = new Map<string, number>();
  /** Subscriptions that were woken while no place was free. */
  readonly #missed = new Set<string>();
  #closed = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Starts whatever is due for these subscriptions. Returns at once. */
  wake(workspace: WorkspaceStore, subscriptionIds: readonly string[]): void {
    for (const subscriptionId of subscriptionIds) {
      this.#options.work.start(() => this.#attemptDue(workspace, subscriptionId));
    }
  }

  /** Gives up the attempts under way, and starts no more. */
  close(): void {
    this.#closed = true;
    this.#options.sender.close();
  }

  async #attemptDue(workspace: WorkspaceStore, subscriptionId: string): Promise<void> {
    if (this.#closed) return;
    const underWay = this.#underWay.get(subscriptionId) ?? 0;
    const free = attemptsAtOnce - underWay;
    if (free <= 0) {
      this.#missed.add(subscriptionId);
      return;
    }
    // Taken before the claim is awaited, so that two wake-ups cannot both see the same free places.
    this.#underWay.set(subscriptionId, underWay + free);
    let claimed: readonly ClaimedDelivery[] = [];
    try {
      const now = this.#options.environment.clock.now();
      claimed = await workspace.claimDueDeliveries(subscriptionId, now, free);
    } finally {
      this.#release(subscriptionId, free - claimed.length);
    }
    // What came due during the claim found no place free, though the claim may have left some.
    if (this.#missed.delete(subscriptionId)) this.wake(workspace, [subscriptionId]);
    await Promise.all(
      claimed.map(async (delivery) => {
        try {
          await this.#attempt(workspace, delivery);
        } finally {
          this.#release(subscriptionId, 1);
          this.wake(workspace, [subscriptionId]);
        }
      }),
    );
  }

  #release(subscriptionId: string, places: number): void {
    const underWay = (this.#underWay.get(subscriptionId) ?? 0) - places;
    if (underWay > 0) this.#underWay.set(subscriptionId, underWay);
    else this.#underWay.delete(subscriptionId);
  }

  async #attempt(workspace: WorkspaceStore, claimed: ClaimedDelivery): Promise<void> {
    const { delivery, secret } = claimed;
    const signature = signWebhook(delivery.body, secret);
    const startedAt = this.#options.environment.clock.now();
    const result = await this.#options.sender.send({ url: delivery.url, body: delivery.body, signature });
    const attempt: AttemptRecord = { number: delivery.attempts.length + 1, startedAt, signature, ...result };
    const wait = attempt.error === undefined ? undefined : this.#options.backoff[delivery.attempts.length];
    const after = this.#afterAttempt(attempt, wait);
    await workspace.recordAttempt(delivery.id, attempt, after);
    this.#log(delivery, attempt, after);
    if (wait !== undefined) {
      this.#options.environment.clock.setTimer(() => this.wake(workspace, [delivery.subscriptionId]), wait);
    }
  }

  #afterAttempt(attempt: AttemptRecord, wait: number | undefined): AfterAttempt {
    if (attempt.error === undefined) return { status: 'delivered' };
    if (wait === undefined) return { status: 'failed' };
    return { status: 'pending', dueAt: this.#options.environment.clock.now() + wait };
  }

  #log(delivery: DeliveryRecord, attempt: AttemptRecord, after: AfterAttempt): void {
    this.#options.log({
      type: 'delivery',
      time: new Date(this.#options.environment.clock.now()).toISOString(),
      deliveryId: delivery.id,
      subscriptionId: delivery.subscriptionId,
      event: delivery.event,
      attempt: attempt.number,
      ...(attempt.status !== undefined && { status: attempt.status }),
      ...(attempt.error !== undefined && { error: attempt.error }),
      outcome: after.status === 'pending' ? 'retrying' : after.status,
    });
  }
}
