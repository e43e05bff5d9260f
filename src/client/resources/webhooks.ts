import { operations } from '../../contract/operations.js';
import type {
  CreatedWebhookSubscription,
  CreateWebhookInput,
  WebhookSubscription,
} from '../../contract/subscription.js';
import type { CallPromise } from '../call/call-promise.js';
import type { Caller } from '../call/caller.js';
import type { RequestOptions } from '../request/request-options.js';

/**
 * Webhook subscriptions (document §2 and §4), at `messaging.webhooks`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type Webhooks } from 'messaging-automation';
 *
 * const webhooks: Webhooks = new MessagingAutomation().webhooks;
 * console.log(await webhooks.list());
 * ```
 */
export class Webhooks {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Creates a subscription (document §4, POST /v1/webhooks). Store the `secret` it gives: it is shown this once,
   * and deliveries cannot be verified without it.
   *
   * It is made again only when the request provably never reached the service, or was turned away with 429: a
   * second subscription would deliver everything twice. Where `outcome` is `unknown`, look with `list`.
   *
   * @throws {RequestError} of a class that says what went wrong.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const { id, secret } = await messaging.webhooks.create({
   *   url: 'https://example.com/hooks',
   *   events: ['message.received', 'contact.opted_out'],
   * });
   * console.log(id, secret.length);
   * ```
   */
  create(input: CreateWebhookInput, options?: RequestOptions): CallPromise<CreatedWebhookSubscription> {
    return this.#caller.call(operations.webhooks.create, { body: input }, options);
  }

  /**
   * Lists the subscriptions (document §4, GET /v1/webhooks). Retried.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * for (const { id, url, enabled } of await messaging.webhooks.list()) console.log(id, url, enabled);
   * ```
   */
  list(options?: RequestOptions): CallPromise<readonly WebhookSubscription[]> {
    return this.#caller.call(operations.webhooks.list, {}, options);
  }

  /**
   * Deletes the subscription with this id (document §4, DELETE /v1/webhooks/:id). Retried; a retry that no longer
   * finds the subscription counts as done.
   *
   * @throws {NotFoundError} when there is no such subscription.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const { id } = await messaging.webhooks.create({
   *   url: 'https://example.com/hooks',
   *   events: ['message.received'],
   * });
   * await messaging.webhooks.delete(id);
   * ```
   */
  delete(id: string, options?: RequestOptions): CallPromise<void> {
    return this.#caller.call(operations.webhooks.delete, { path: { id } }, options);
  }
}
