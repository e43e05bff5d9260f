import type { CallPromise } from './call/call-promise.js';
import { Caller } from './call/caller.js';
import { type ClientOptions, configure } from './configuration.js';
import type { CustomRequest } from './request/custom-request.js';
import type { RequestOptions } from './request/request-options.js';
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
  readonly #options: ClientOptions<W>;
  readonly #caller: Caller;
  readonly #baseUrl: string;

  /** @throws {ConfigurationError} where an option is missing or makes no sense. */
  constructor(options: ClientOptions<W> = {}) {
    const settings = configure(options);
    const caller = new Caller(settings);
    this.#options = options;
    this.#caller = caller;
    this.#baseUrl = settings.baseUrl;
    this.workspace = options.workspace;
    this.contacts = new Contacts(caller);
    this.transactional = new Transactional(caller);
    this.events = new Events(caller);
    this.webhooks = new Webhooks(caller);
    this.templates = new Templates(caller);
  }

  /**
   * Makes a request that this package has no method for: to an endpoint newer than it, say. Deadline, retries, errors
   * and redaction are those of every call.
   *
   * @returns The JSON of the answer; `undefined` where its body is empty.
   * @throws {RequestError} of a class that says what went wrong.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const { id } = await messaging.contacts.upsert({ phone: '+15551234567' });
   * const answer = await messaging.request({ method: 'GET', path: '/v1/contacts/:id', params: { id } });
   * console.log(answer);
   * ```
   */
  request(request: CustomRequest, options?: RequestOptions): CallPromise<unknown> {
    return this.#caller.request(request, options);
  }

  /**
   * Makes a client with the options of this one, but for those given: another key or timeout for some calls, say.
   * Both share what the options share: transport, limiter, logger.
   *
   * @throws {ConfigurationError} where an option makes no sense.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const patient = messaging.withOptions({ timeout: 120_000, retries: 5 });
   * await patient.contacts.upsert({ phone: '+15551234567' });
   * ```
   */
  withOptions(options: Omit<ClientOptions<W>, 'workspace'>): MessagingAutomation<W> {
    const { fetch, transport, ...others } = this.#options;
    const carriesAnew = options.fetch !== undefined || options.transport !== undefined;
    return new MessagingAutomation({ ...others, ...(carriesAnew ? {} : { fetch, transport }), ...options });
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
