import { operations } from '../../contract/operations.js';
import type { Template } from '../../contract/template.js';
import type { CallPromise } from '../call/call-promise.js';
import type { Caller } from '../call/caller.js';
import type { RequestOptions } from '../request/request-options.js';

/**
 * The approved message templates, at `messaging.templates`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 *
 * const { templates } = new MessagingAutomation();
 * for (const { id } of await templates.list()) console.log(id);
 * ```
 */
export class Templates {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Lists the approved templates. `transactional.send` takes their ids as `templateId`. Retried.
   *
   * Endpoint: `GET /v1/templates`.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const templates = await messaging.templates.list();
   * console.log(templates.map((template) => template.id));
   * ```
   */
  list(options?: RequestOptions): CallPromise<readonly Template[]> {
    return this.#caller.call(operations.templates.list, {}, options);
  }
}
