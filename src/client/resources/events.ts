import type { TrackResult } from '../../contract/event.js';
import { operations } from '../../contract/operations.js';
import { BulkRun } from '../bulk/bulk-run.js';
import type { BulkInputs, TrackManyOptions } from '../bulk/options.js';
import type { BulkSummary } from '../bulk/outcome.js';
import type { CallPromise } from '../call/call-promise.js';
import type { Caller } from '../call/caller.js';
import type { Around } from '../call/plan.js';
import type { InferTrackInput } from '../definition/infer.js';
import type { Workspace } from '../definition/workspace-definition.js';
import type { UnsettledKey, UnsettledOptions } from '../idempotency/unsettled.js';
import type { TrackOptions } from '../request/request-options.js';

/**
 * Events of contacts, at `messaging.events`. If the client has a `workspace`, events have its names and types.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 *
 * const { contacts, events } = new MessagingAutomation();
 * await contacts.upsert({ phone: '+15551234567' });
 * await events.track({ event: 'order_placed', phone: '+15551234567' });
 * ```
 */
export class Events<W extends Workspace = Workspace> {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Tracks an event of an existing contact, which you name by `contactId` or by `phone`. The service accepts the event
   * first and processes it later: the call resolves before journeys and segments react.
   *
   * Endpoint: `POST /v1/events`.
   *
   * The client retries only if the request did not reach the service or was rejected with 429, because a second event
   * may start a journey twice.
   *
   * With an `idempotencyKey`, the event is tracked once, however often you call: in a job that a queue runs again, in several processes,
   * after a crash. A call whose event was tracked before resolves without a request, with `replayed: true`.
   *
   * @throws {NotFoundError} when the contact does not exist. Create it with `contacts.upsert` first.
   * @throws {InvalidInputError} when the input is invalid, or the `idempotencyKey` was used for another contact or event. Nothing was sent.
   * @throws {IdempotencyError} when an earlier call with the `idempotencyKey` may have tracked the event, or the store failed.
   * @throws {RequestError} Another of its subclasses. If its `outcome` is `unknown`, the service may have accepted the
   *   event.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const contact = await messaging.contacts.upsert({ phone: '+15551234567' });
   * const { accepted } = await messaging.events.track({
   *   event: 'order_placed',
   *   contactId: contact.id,
   *   properties: { orderId: 'A-1001', total: 42 },
   * });
   * console.log(accepted); // true
   * ```
   */
  track(input: InferTrackInput<W>, options?: TrackOptions): CallPromise<TrackResult> {
    return this.#caller.callTyped(operations.events.track, { body: input }, options, {
      once,
    });
  }

  /**
   * Tracks any number of events concurrently, in bounded memory: it reads the input only as fast as calls finish. Use
   * {@link Events.trackEach} to get the outcome of each event.
   *
   * An event that fails does not end the run. The run stops early for causes that would fail every event: 401, 402, 403, a
   * service that cannot be reached, your `signal`, an input that throws. `stoppedBecause` has the cause. After a 429, the run
   * slows down and retries; no event is lost.
   *
   * With a `checkpoint`, a later run continues where this one ended, and tracks nothing twice, even if the process was killed:
   * the run records each item before it sends the request. An item without a recorded outcome counts as `unknown`. With an `idempotencyKey`
   * for each item, the later run resolves it by its key.
   *
   * Events of one contact keep their order, and do not overlap, if all name it by `phone` or all by `contactId`. If one of them
   * stays open for the next run, the later ones wait for it there.
   *
   * @returns The summary, even if the run stopped early.
   * @throws {InvalidInputError} when an option or the stored checkpoint is invalid.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * await messaging.contacts.upsert({ phone: '+15551234567' });
   * const { done, stoppedBecause } = await messaging.events.trackMany([
   *   { event: 'order_placed', phone: '+15551234567', properties: { orderId: 'A-1001' } },
   *   { event: 'order_shipped', phone: '+15551234567', properties: { orderId: 'A-1001' } },
   * ]);
   * console.log(done, stoppedBecause?.reason ?? 'complete');
   * ```
   */
  trackMany(
    inputs: BulkInputs<InferTrackInput<W>>,
    options?: TrackManyOptions<InferTrackInput<W>>,
  ): Promise<BulkSummary> {
    return this.trackEach(inputs, options).summary();
  }

  /**
   * Tracks as {@link Events.trackMany} does, and yields the outcome of each event. The run starts with the loop.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const run = messaging.events.trackEach([{ event: 'order_placed', phone: '+15551234567' }]);
   * for await (const outcome of run) {
   *   if (outcome.status !== 'done') console.error(outcome.index, outcome.status, outcome.error.message);
   * }
   * console.log((await run.summary()).stoppedBecause?.reason ?? 'complete');
   * ```
   */
  trackEach(
    inputs: BulkInputs<InferTrackInput<W>>,
    options: TrackManyOptions<InferTrackInput<W>> = {},
  ): BulkRun<InferTrackInput<W>, TrackResult> {
    const { idempotencyKey }: TrackManyOptions<InferTrackInput<W>> = Object(options);
    return new BulkRun({
      operation: operations.events.track,
      inputs,
      options,
      settings: this.#caller.settings,
      call: (input, callOptions) => this.track(input, callOptions),
      contactOf: ({ contactId, phone }) => contactId ?? phone,
      ...(idempotencyKey && { keyOf: (input, index) => idempotencyKey(input, index) }),
    });
  }

  /**
   * Ends the unknown outcome of an idempotency key, once you have found out whether the event was tracked. `sent`: later calls with the
   * key resolve without a request. `not_sent`: the next call with the key tracks.
   *
   * @returns Whether the outcome was unknown. False, with no effect, if the key is free, its event is known as tracked, or a call is
   *   tracking it.
   * @throws {InvalidInputError} when the client has no store, or the key was used with another base URL.
   * @throws {IdempotencyError} when the store failed.
   *
   * @example
   * ```ts
   * import { createMemoryKeyValueStore, MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation({ idempotencyStore: createMemoryKeyValueStore() });
   * console.log(await messaging.events.settle('order-1001-placed', 'sent')); // false: nobody has used this key
   * ```
   */
  async settle(idempotencyKey: string, outcome: 'sent' | 'not_sent'): Promise<boolean> {
    const { settleForClient } = await import('../idempotency/once.js');
    return settleForClient(this.#caller.settings, 'events.track', idempotencyKey, outcome);
  }

  /**
   * Lists the idempotency keys of events that may have been tracked, the oldest first, as `transactional.unsettled` does for messages.
   *
   * @throws {InvalidInputError} when the client has no store, or an option is invalid.
   * @throws {IdempotencyError} when the store failed, or cannot list its keys.
   *
   * @example
   * ```ts
   * import { createMemoryKeyValueStore, MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation({ idempotencyStore: createMemoryKeyValueStore() });
   * console.log(await messaging.events.unsettled()); // []
   * ```
   */
  async unsettled(options: UnsettledOptions = {}): Promise<readonly UnsettledKey[]> {
    const { unsettledForClient } = await import('../idempotency/once.js');
    return unsettledForClient(this.#caller.settings, 'events.track', options);
  }
}

/** Tracks once for a key. A call without a key does not load this code. */
function once(key: string): Around<TrackResult> {
  return async (ready) => {
    const { callOnce, keyedTrack } = await import('../idempotency/once.js');
    return callOnce(key, keyedTrack, ready);
  };
}
