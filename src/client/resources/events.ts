import type { TrackResult } from '../../contract/event.js';
import type { CallPromise } from '../call/call-promise.js';
import type { Caller } from '../call/caller.js';
import type { RequestOptions } from '../request/request-options.js';
import type { InferTrackInput } from '../workspace/infer.js';
import { operationsOf } from '../workspace/operations.js';
import type { Workspace } from '../workspace/workspace.js';

/**
 * Named events of contacts (document §4), at `messaging.events`. Where the client knows its workspace, by
 * `defineWorkspace`, its events have names, and properties with types.
 *
 * @example
 * ```ts
 * import { type Events, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const events: Events = messaging.events;
 * await messaging.contacts.upsert({ phone: '+15551234567' });
 * await events.track({ event: 'order_placed', phone: '+15551234567' });
 * ```
 */
export class Events<W extends Workspace = Workspace> {
  readonly #caller: Caller;
  readonly #endpoints = operationsOf<W>().events;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Records an event for the contact named by `contactId` or by `phone` (document §4, POST /v1/events). The
   * service answers first and processes afterwards.
   *
   * It is made again only when the request provably never reached the service, or was turned away with 429: a
   * second event may start a journey a second time.
   *
   * @throws {NotFoundError} when the contact does not exist.
   * @throws {RequestError} of another class, for any other failure.
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
   * console.log(accepted);
   * ```
   */
  track(input: InferTrackInput<W>, options?: RequestOptions): CallPromise<TrackResult> {
    return this.#caller.call(this.#endpoints.track, { body: input }, options);
  }
}
