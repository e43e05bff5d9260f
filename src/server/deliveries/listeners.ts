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

/**
 * Keeps the listeners of a workspace, by their subscriptions.
 *
 * @param timeout - The timeout of an attempt, in milliseconds.
 * @param refusal - Why the workspace cannot have listeners. Undefined if it can.
 */
export function createListeners(
  { environment, store, work }: WorkspaceContext,
  machine: Clock,
  timeout: number,
  refusal: string | undefined,
) {
  const bySubscription = new Map<string, Listener>();
  /** How many listeners are being added. */
  let beginning = 0;
  let isClosed = false;

  /**
   * Adds a listener.
   *
   * @param subscribe Creates its subscription.
   * @throws RateLimitedError at the limit.
   */
  async function add<Subscription extends { readonly id: string }>(
    subscribe: () => Promise<Subscription>,
  ): Promise<Subscription> {
    if (refusal !== undefined) throw new ServiceError('invalid_request', refusal);
    if (bySubscription.size + beginning >= listenersAtOnce) {
      throw new RateLimitedError(
        `This workspace already has ${listenersAtOnce} listeners. Stop one first. The server removes a disconnected listener after a minute.`,
        comeBackAfter,
      );
    }
    beginning += 1;
    try {
      const subscription = await subscribe();
      take(subscription.id);
      return subscription;
    } finally {
      beginning -= 1;
    }
  }

  /** @throws ServiceError if there is none. */
  function get(subscriptionId: string): Listener {
    const listener = bySubscription.get(subscriptionId);
    if (listener !== undefined) return listener;
    throw new ServiceError('not_found', 'No listener of this workspace has this id. Create another.');
  }

  /** Removes a listener with its subscription. False if there is none. */
  async function remove(subscriptionId: string): Promise<boolean> {
    const listener = bySubscription.get(subscriptionId);
    if (listener === undefined) return false;
    bySubscription.delete(subscriptionId);
    // Delete the subscription first, so that without a response attempts are not retried.
    await store.deleteSubscription(subscriptionId);
    listener.remove();
    return true;
  }

  /** Resumes the listeners of these subscriptions after a restore of the workspace. Discards the others. */
  function resume(subscriptions: readonly SubscriptionRecord[]): void {
    if (refusal !== undefined) return;
    const ids = new Set(subscriptions.filter(({ url }) => isListenerUrl(url)).map(({ id }) => id));
    for (const [id, listener] of bySubscription) {
      if (ids.has(id)) continue;
      bySubscription.delete(id);
      listener.end('the listener was removed');
    }
    for (const id of ids) if (!bySubscription.has(id)) take(id);
  }

  /** Lets the listener of a subscription make an attempt. */
  async function attempt(delivery: DeliveryRecord, attempt: Attempt): Promise<AttemptResult> {
    if (isClosed) return { error: closed().message };
    const listener = bySubscription.get(delivery.subscriptionId);
    return listener?.attempt(delivery, attempt) ?? { error: 'the listener was removed' };
  }

  /** Ends all running and future attempts. */
  function end(): void {
    isClosed = true;
    for (const listener of bySubscription.values()) listener.end(closed().message);
  }

  /** Ends all connections. Responses to running attempts still count. */
  function stop(): void {
    for (const listener of bySubscription.values()) listener.stop();
  }

  function take(subscriptionId: string): void {
    const listener = new Listener({
      machine,
      timeout,
      newAttemptId: () => environment.newId('attempt'),
      onLost: () => work.start(async () => void (await remove(subscriptionId))),
    });
    bySubscription.set(subscriptionId, listener);
  }

  return { add, get, remove, resume, attempt, end, stop };
}

export type Listeners = ReturnType<typeof createListeners>;
