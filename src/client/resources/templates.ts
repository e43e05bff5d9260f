import { operations } from '../../contract/operations.js';
import type { Template } from '../../contract/template.js';
import type { CallPromise } from '../call/call-promise.js';
import type { Caller } from '../call/caller.js';
import type { RequestOptions } from '../request/request-options.js';

/**
 * The approved message templates (document §2 and §4), at `messaging.templates`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type Templates } from 'messaging-automation';
 *
 * const templates: Templates = new MessagingAutomation().templates;
 * console.log(await templates.list());
 * ```
 */
export class Templates {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Lists the templates, whose ids `transactional.send` takes (document §4, GET /v1/templates). Retried.
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
