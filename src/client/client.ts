import { Caller } from './call/caller.js';
import { type ClientOptions, configure } from './configuration.js';
import { Contacts } from './resources/contacts.js';
import { Events } from './resources/events.js';
import { Templates } from './resources/templates.js';
import { Transactional } from './resources/transactional.js';
import { Webhooks } from './resources/webhooks.js';
import type { Workspace } from './workspace/workspace.js';

/**
 * The client of the Messaging Automation Service API.
 *
 * It holds no connection of its own and can be kept for the life of the process. Printing or serialising it
 * shows the base URL and no key.
 *
 * Given a workspace, it types and checks what it sends, and so is no client that takes every name: a function for both
 * takes a `MessagingAutomation<W>` with `W extends Workspace`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 *
 * // Takes MESSAGING_AUTOMATION_API_KEY and MESSAGING_AUTOMATION_BASE_URL from the environment.
 * const messaging = new MessagingAutomation();
 *
 * await messaging.contacts.upsert({ phone: '+15551234567', properties: { firstName: 'Ada' } });
 * await messaging.transactional.send({
 *   phone: '+15551234567',
 *   templateId: 'order_update',
 *   variables: { '1': 'Ada', '2': 'A-1001' },
 * });
 * ```
 */
export class MessagingAutomation<in out W extends Workspace = Workspace> {
  /** The workspace's contacts. */
  readonly contacts: Contacts<W>;
  /** One-off template messages. */
  readonly transactional: Transactional<W>;
  /** Named events of contacts. */
  readonly events: Events<W>;
  /** Webhook subscriptions. */
  readonly webhooks: Webhooks;
  /** The approved message templates. */
  readonly templates: Templates;
  /** The workspace that the client was given, as its option `workspace`. */
  readonly workspace: W | undefined;
  readonly #baseUrl: string;

  /** @throws {ConfigurationError} where an option is missing or makes no sense. */
  constructor(options: ClientOptions<W> = {}) {
    const settings = configure(options);
    const caller = new Caller(settings);
    this.#baseUrl = settings.baseUrl;
    this.workspace = options.workspace;
    this.contacts = new Contacts(caller);
    this.transactional = new Transactional(caller);
    this.events = new Events(caller);
    this.webhooks = new Webhooks(caller);
    this.templates = new Templates(caller);
  }

  /** The client as plain data: the base URL, and nothing secret. */
  toJSON(): { readonly baseUrl: string } {
    return { baseUrl: this.#baseUrl };
  }

  /** @internal What Node, Bun and Deno print for `console.log(messaging)`. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `MessagingAutomation { baseUrl: '${this.#baseUrl}' }`;
  }
}
