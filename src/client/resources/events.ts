import type { TrackResult } from '../../contract/event.js';
import { operations } from '../../contract/operations.js';
import type { Caller, CallPromise } from '../call/caller.js';
import type { RequestOptions } from '../request/request-options.js';
import type { InferTrackInput } from '../workspace/infer.js';
import type { Workspace } from '../workspace/workspace.js';

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
   * @throws {NotFoundError} when the contact does not exist. Create it with `contacts.upsert` first.
   * @throws {InvalidInputError} when the input is invalid. Nothing was sent.
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
  track(input: InferTrackInput<W>, options?: RequestOptions): CallPromise<TrackResult> {
    return this.#caller.callTyped(operations.events.track, { body: input }, options);
  }
}
