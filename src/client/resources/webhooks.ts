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
 * Webhook subscriptions, at `messaging.webhooks`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 *
 * const { webhooks } = new MessagingAutomation();
 * const subscription = await webhooks.create({
 *   url: 'https://example.com/hooks',
 *   events: ['message.received'],
 * });
 * await webhooks.delete(subscription.id);
 * ```
 */
export class Webhooks {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Creates a webhook subscription. Store the `secret` of the response: you need it to verify deliveries, and the
   * service may not return it again.
   *
   * Endpoint: `POST /v1/webhooks`.
   *
   * The client retries only if the request did not reach the service or was rejected with 429, because a second
   * subscription would deliver every event twice.
   *
   * @returns The subscription with its `secret`.
   * @throws {InvalidInputError} when the input is invalid. Nothing was sent.
   * @throws {RequestError} Another of its subclasses. If its `outcome` is `unknown`, check with `list` whether the
   *   subscription exists.
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
   * process.env['WEBHOOK_SECRET'] = secret; // store it in your secret manager
   * console.log(id);
   * ```
   */
  create(input: CreateWebhookInput, options?: RequestOptions): CallPromise<CreatedWebhookSubscription> {
    return this.#caller.call(operations.webhooks.create, { body: input }, options);
  }

  /**
   * Lists the webhook subscriptions. Retried.
   *
   * Endpoint: `GET /v1/webhooks`.
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
   * Deletes the webhook subscription with this id. Retried: a retry that finds no subscription resolves, because an
   * earlier attempt deleted it.
   *
   * Endpoint: `DELETE /v1/webhooks/:id`.
   *
   * @throws {NotFoundError} when no subscription has this id.
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
