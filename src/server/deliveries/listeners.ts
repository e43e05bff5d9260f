import { signatureHeader } from '../../contract/delivery.js';
import type { Clock } from '../../foundation/clock.js';
import {
  isListenerUrl,
  type ListenerAttempt,
  type ListenerOccurrence,
  type ListenerOutcome,
  type ListenerResponse,
} from '../model/listener.js';
import type { DeliveryRecord, SubscriptionRecord } from '../model/records.js';
import { RateLimitedError, ServiceError } from '../model/service-error.js';
import type { WorkspaceContext } from '../service/context.js';
import { Feed, type Reader } from '../time/feed.js';
import { type AttemptResult, closed, type OutgoingAttempt, resultOf, timed } from './sender.js';

/** The largest number of listeners. More come from a script that does not remove them. */
const listenersAtOnce = 10;

/** When a client should try again at the limit: a disconnected listener is removed by then. In milliseconds. */
const comeBackAfter = 60_000;

/** The listeners of a workspace, by their subscriptions. */
export class Listeners {
  readonly #context: WorkspaceContext;
  readonly #machine: Clock;
  readonly #timeout: number;
  readonly #refusal: string | undefined;
  readonly #bySubscription = new Map<string, Listener>();
  /** How many listeners are being added. */
  #beginning = 0;
  #isClosed = false;

  /**
   * @param timeout - The timeout of an attempt, in milliseconds.
   * @param refusal - Why the workspace cannot have listeners. Undefined if it can.
   */
  constructor(context: WorkspaceContext, machine: Clock, timeout: number, refusal: string | undefined) {
    this.#context = context;
    this.#machine = machine;
    this.#timeout = timeout;
    this.#refusal = refusal;
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
    if (this.#refusal !== undefined) throw new ServiceError('invalid_request', this.#refusal);
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
    listener.end('the listener was removed', { kind: 'removed' });
    return true;
  }

  /** Resumes the listeners of these subscriptions after a restore of the workspace. Discards the others. */
  resume(subscriptions: readonly SubscriptionRecord[]): void {
    if (this.#refusal !== undefined) return;
    const ids = new Set(subscriptions.filter(({ url }) => isListenerUrl(url)).map(({ id }) => id));
    for (const [id, listener] of this.#bySubscription) {
      if (ids.has(id)) continue;
      this.#bySubscription.delete(id);
      listener.end('the listener was removed');
    }
    for (const id of ids) if (!this.#bySubscription.has(id)) this.#take(id);
  }

  /** Lets the listener of a subscription make an attempt. */
  async attempt(delivery: DeliveryRecord, attempt: OutgoingAttempt): Promise<AttemptResult> {
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
    const listener = new Listener({
      machine: this.#machine,
      timeout: this.#timeout,
      newAttemptId: () => this.#context.environment.newId('attempt'),
      onLost: () => this.#context.work.start(async () => void (await this.remove(subscriptionId))),
    });
    this.#bySubscription.set(subscriptionId, listener);
  }
}

/** How many ended attempts are kept to recognize late and repeated responses. */
const attemptsRemembered = 1_000;

/** How long a listener can be without a connection. In milliseconds. */
const grace = 60_000;

const notConnected =
  'no listener is connected: start `messaging-automation listen` for this subscription again';

interface ListenerOptions {
  /** The machine's clock. */
  readonly machine: Clock;
  /** The timeout of an attempt, in milliseconds. */
  readonly timeout: number;
  readonly newAttemptId: () => string;
  /** Called when the listener has been without a connection for too long. */
  readonly onLost: () => void;
}

/** A running attempt, for whose response the server waits. */
interface UnderWay {
  readonly attempt: () => ListenerAttempt;
  /** Whether a connection existed that could read it. */
  wasOffered: boolean;
  readonly settle: (result: AttemptResult) => void;
}

/**
 * A program that forwards the deliveries of one subscription to a receiver that the server cannot reach, and reports the
 * responses. If its connection breaks, running attempts wait for the next connection within their timeout. The dispatcher's
 * concurrency limit bounds the number of running attempts.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #ended = new Map<string, ListenerOutcome>();
  #connection: ListenerConnection | undefined;
  #cancelGrace = () => {};
  #isOver = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#startGrace();
  }

  /** Begins a connection, which replaces an earlier one, and offers it all running attempts. */
  connect(reader: Reader): Feed<ListenerOccurrence> {
    this.#connection?.feed.end();
    const connection = new ListenerConnection(this.#options.machine, reader);
    this.#cancelGrace();
    this.#connection = connection;
    for (const [id, underWay] of this.#underWay) offer(connection, id, underWay);
    connection.feed.whenOver(() => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      this.#startGrace();
    });
    return connection.feed;
  }

  /** Offers an attempt to the listener, and waits for its response. */
  attempt(
    { id, subscriptionId, event, attempts }: DeliveryRecord,
    { body, signature }: OutgoingAttempt,
  ): Promise<AttemptResult> {
    const { machine, timeout, newAttemptId } = this.#options;
    const attemptId = newAttemptId();
    const beganAt = machine.now();
    return new Promise((resolve) => {
      const cancelTimer = machine.setTimer(() => this.#giveUp(attemptId), timeout);
      const underWay: UnderWay = {
        attempt: () => ({
          attemptId,
          listenerId: subscriptionId,
          deliveryId: id,
          number: attempts.length + 1,
          event,
          headers: { 'Content-Type': 'application/json', [signatureHeader]: signature },
          body,
          timeout: Math.max(0, beganAt + timeout - machine.now()),
        }),
        wasOffered: false,
        settle: (result) => {
          cancelTimer();
          resolve(timed(result, beganAt, machine.now()));
        },
      };
      this.#underWay.set(attemptId, underWay);
      if (this.#connection !== undefined) offer(this.#connection, attemptId, underWay);
    });
  }

  /** Records the response to an attempt. The first one counts. Undefined if the listener never had the attempt. */
  respond(attemptId: string, response: ListenerResponse): ListenerOutcome | undefined {
    const underWay = this.#underWay.get(attemptId);
    if (underWay === undefined) return this.#ended.get(attemptId);
    this.#settle(attemptId, underWay, 'recorded', resultIn(response));
    this.#connection?.forget(attemptId);
    return 'recorded';
  }

  /** Ends the connection, after the `last` item if there is one, and all running attempts. */
  end(error: string, last?: ListenerOccurrence): void {
    this.stop(last);
    for (const [attemptId, underWay] of this.#underWay) {
      this.#settle(attemptId, underWay, 'too_late', { error });
    }
  }

  /** Ends the connection. Responses to running attempts still count. */
  stop(last?: ListenerOccurrence): void {
    this.#isOver = true;
    this.#cancelGrace();
    this.#connection?.feed.end(last);
  }

  #giveUp(attemptId: string): void {
    const underWay = this.#underWay.get(attemptId);
    if (underWay === undefined) return;
    const error = this.#whyNone(underWay);
    this.#settle(attemptId, underWay, 'too_late', { error });
    this.#connection?.takeBack(attemptId, error);
  }

  #whyNone({ wasOffered }: UnderWay): string {
    if (!wasOffered) return notConnected;
    const none = `no complete response within ${this.#options.timeout / 1000} s`;
    return this.#connection === undefined
      ? `${none}: the connection to \`messaging-automation listen\` is lost`
      : none;
  }

  #settle(attemptId: string, { settle }: UnderWay, outcome: ListenerOutcome, result: AttemptResult): void {
    this.#underWay.delete(attemptId);
    this.#ended.set(attemptId, outcome);
    if (this.#ended.size > attemptsRemembered) {
      const [oldest] = this.#ended.keys();
      if (oldest !== undefined) this.#ended.delete(oldest);
    }
    settle(result);
  }

  #startGrace(): void {
    if (this.#isOver) return;
    this.#cancelGrace = this.#options.machine.setTimer(this.#options.onLost, grace);
  }
}

function offer(connection: ListenerConnection, attemptId: string, underWay: UnderWay): void {
  underWay.wasOffered = true;
  connection.offer(attemptId, underWay.attempt);
}

function resultIn(response: ListenerResponse): AttemptResult {
  if ('error' in response) return { error: response.error };
  return resultOf(response.status, response.date, response.responseBody ?? '');
}

/** One connection of a listener, with the items that it has not read. It only contains running attempts. */
class ListenerConnection {
  /** The unread items by attempt id. Each is created when it is read, because it contains the remaining time. */
  readonly #unread = new Map<string, () => ListenerOccurrence>();
  readonly feed: Feed<ListenerOccurrence>;

  constructor(machine: Clock, reader: Reader) {
    this.feed = new Feed(machine, reader, () => {
      const [unread] = this.#unread;
      if (unread === undefined) return undefined;
      const [attemptId, occurrence] = unread;
      this.#unread.delete(attemptId);
      return occurrence();
    });
  }

  offer(attemptId: string, attempt: () => ListenerAttempt): void {
    this.#unread.set(attemptId, () => ({ kind: 'attempt', attempt: attempt() }));
    this.feed.wake();
  }

  /** Removes an attempt that has a response from the queue, in case the listener would get it again. */
  forget(attemptId: string): void {
    this.#unread.delete(attemptId);
  }

  /** Withdraws an attempt that ended without a response. The listener gets an `ended` item only if it has read the attempt. */
  takeBack(attemptId: string, error: string): void {
    if (this.#unread.delete(attemptId)) return;
    this.#unread.set(attemptId, () => ({ kind: 'ended', attemptId, error }));
    this.feed.wake();
  }
}
