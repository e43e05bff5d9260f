import type { Clock } from '../../foundation/clock.js';
import { isListenerUrl } from '../model/listener.js';
import type { DeliveryRecord, SubscriptionRecord } from '../model/records.js';
import { RateLimitedError, ServiceError } from '../model/service-error.js';
import type { WorkspaceContext } from '../service/context.js';
import { Listener } from './listener.js';
import { type Attempt, type AttemptResult, closed } from './sender.js';

/** The largest number of listeners. More come from a script that does not remove them. */
const listenersAtOnce = 10;

/** When a client should try again at the limit: a disconnected listener is removed by then. In milliseconds. */
const comeBackAfter = 60_000;

export interface ListenersOptions {
  /** The machine's clock. */
  readonly machine: Clock;
  /** The timeout of an attempt, in milliseconds. */
  readonly timeout: number;
  /** Why the workspace cannot have listeners. Undefined if it can. */
  readonly refusal?: string | undefined;
}

/** The listeners of a workspace, by their subscriptions. */
export class Listeners {
  readonly #context: WorkspaceContext;
  readonly #options: ListenersOptions;
  readonly #bySubscription = new Map<string, Listener>();
  /** How many listeners are being added. */
  #beginning = 0;
  #isClosed = false;

  constructor(context: WorkspaceContext, options: ListenersOptions) {
    this.#context = context;
    this.#options = options;
  }

  /**
   * Adds a listener.
   *
   * @param subscribe Creates its subscription.
   * @throws RateLimitedError at the limit.
   */
  async add<Subscription extends { readonly id: string }>(
    subscribe: () => Promise<Subscription>,
  ): Promise<Subscription> {
    const { refusal } = this.#options;
    if (refusal !== undefined) throw new ServiceError('invalid_request', refusal);
    if (this.#bySubscription.size + this.#beginning >= listenersAtOnce) {
      throw new RateLimitedError(
        `This workspace already has ${listenersAtOnce} listeners. Stop one first. The server removes a disconnected listener after a minute.`,
        comeBackAfter,
      );
    }
    this.#beginning += 1;
    try {
      const subscription = await subscribe();
      this.#take(subscription.id);
      return subscription;
    } finally {
      this.#beginning -= 1;
    }
  }

  /** @throws ServiceError if there is none. */
  get(subscriptionId: string): Listener {
    const listener = this.#bySubscription.get(subscriptionId);
    if (listener !== undefined) return listener;
    throw new ServiceError('not_found', 'No listener of this workspace has this id. Create another.');
  }

  /** Removes a listener with its subscription. False if there is none. */
  async remove(subscriptionId: string): Promise<boolean> {
    const listener = this.#bySubscription.get(subscriptionId);
    if (listener === undefined) return false;
    this.#bySubscription.delete(subscriptionId);
    // Delete the subscription first, so that without a response attempts are not retried.
    await this.#context.store.deleteSubscription(subscriptionId);
    listener.remove();
    return true;
  }

  /** Resumes the listeners of these subscriptions after a restore of the workspace. Discards the others. */
  resume(subscriptions: readonly SubscriptionRecord[]): void {
    if (this.#options.refusal !== undefined) return;
    const ids = new Set(subscriptions.filter(({ url }) => isListenerUrl(url)).map(({ id }) => id));
    for (const [id, listener] of this.#bySubscription) {
      if (ids.has(id)) continue;
      this.#bySubscription.delete(id);
      listener.end('the listener was removed');
    }
    for (const id of ids) if (!this.#bySubscription.has(id)) this.#take(id);
  }

  /** Lets the listener of a subscription make an attempt. */
  async attempt(delivery: DeliveryRecord, attempt: Attempt): Promise<AttemptResult> {
    if (this.#isClosed) return { error: closed().message };
    const listener = this.#bySubscription.get(delivery.subscriptionId);
    return listener?.attempt(delivery, attempt) ?? { error: 'the listener was removed' };
  }

  /** Ends all running and future attempts. */
  end(): void {
    this.#isClosed = true;
    for (const listener of this.#bySubscription.values()) listener.end(closed().message);
  }

  /** Ends all connections. Responses to running attempts still count. */
  stop(): void {
    for (const listener of this.#bySubscription.values()) listener.stop();
  }

  #take(subscriptionId: string): void {
    const { machine, timeout } = this.#options;
    const { environment, work } = this.#context;
    const listener = new Listener({
      machine,
      timeout,
      newAttemptId: () => environment.newId('attempt'),
      onLost: () => work.start(async () => void (await this.remove(subscriptionId))),
    });
    this.#bySubscription.set(subscriptionId, listener);
  }
}
