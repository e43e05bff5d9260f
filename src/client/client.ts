import { isObject } from '../foundation/is-object.js';
import type { CallPromise } from './call/call-promise.js';
import { Caller } from './call/caller.js';
import { type ClientOptions, configure } from './configuration.js';
import type { Workspace } from './definition/workspace-definition.js';
import type { CustomRequest } from './request/custom-request.js';
import type { RequestOptions } from './request/request-options.js';
import { Contacts } from './resources/contacts.js';
import { Events } from './resources/events.js';
import { Templates } from './resources/templates.js';
import { Transactional } from './resources/transactional.js';
import { Webhooks } from './resources/webhooks.js';

/**
 * The client of the Messaging Automation Service API.
 *
 * Create one client and use it for the life of the process: it needs no closing, and concurrent calls are safe. The
 * client retries failed requests where a retry cannot repeat an effect, and each call has a deadline. Default: 2
 * retries, 30 seconds.
 *
 * Every call that fails rejects with a `RequestError`. Its `outcome` says whether the request was carried out. Neither
 * errors nor a printed client contain the API key.
 *
 * The option `workspace` types and checks the names and values that you send. A function that accepts clients with and
 * without a workspace takes a `MessagingAutomation<W>` with `W extends Workspace`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 *
 * // Reads MESSAGING_AUTOMATION_API_KEY and MESSAGING_AUTOMATION_BASE_URL from the environment.
 * const messaging = new MessagingAutomation();
 *
 * const contact = await messaging.contacts.upsert({ phone: '+15551234567', properties: { firstName: 'Ada' } });
 * console.log(contact.id);
 *
 * await messaging.transactional.send({
 *   phone: '+15551234567',
 *   templateId: 'order_update',
 *   variables: { '1': 'Ada', '2': 'A-1001' },
 * });
 * ```
 */
export class MessagingAutomation<in out W extends Workspace = Workspace> {
  /** Creates, reads, updates and deletes contacts. */
  readonly contacts: Contacts<W>;
  /** Sends template messages to single contacts. */
  readonly transactional: Transactional<W>;
  /** Tracks events of contacts. */
  readonly events: Events<W>;
  /** Manages webhook subscriptions. */
  readonly webhooks: Webhooks;
  /** Lists the approved message templates. */
  readonly templates: Templates;
  /** The option `workspace` of this client; `undefined` without one. */
  readonly workspace: W | undefined;
  readonly #options: ClientOptions<W>;
  readonly #caller: Caller;

  /**
   * Warns if there is no API key or no base URL. Each call then reads the environment again, and fails with {@link NotConfiguredError} if it
   * does not have them either. So a module can create its client during a build.
   *
   * @throws {ConfigurationError} when an option is invalid.
   */
  constructor(options: ClientOptions<W> = {}) {
    const caller = new Caller(options);
    this.#options = options;
    this.#caller = caller;
    this.workspace = options.workspace;
    this.contacts = new Contacts(caller);
    this.transactional = new Transactional(caller);
    this.events = new Events(caller);
    this.webhooks = new Webhooks(caller);
    this.templates = new Templates(caller);
  }

  /**
   * Sends a request that this package has no method for, such as one to a newer endpoint. It has the same deadline,
   * retries, errors and redaction as every other call.
   *
   * @returns The parsed JSON of the response; `undefined` if the response body is empty.
   * @throws {RequestError} One of its subclasses, which says what went wrong.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const { id } = await messaging.contacts.upsert({ phone: '+15551234567' });
   * const response = await messaging.request({ method: 'GET', path: '/v1/contacts/:id', params: { id } });
   * console.log(response);
   * ```
   */
  request(request: CustomRequest, options?: RequestOptions): CallPromise<unknown> {
    return this.#caller.request(request, options);
  }

  /**
   * Creates a client with the options of this client, except for the options you pass: for example another key, or a
   * longer timeout for some calls. Both clients share the transport, the limiter and the logger.
   *
   * An option that is `undefined` stays as it is, so that a setting that is missing switches no protection off: `guards: []` removes the
   * guards, and `workspace: null` the workspace. With another `workspace`, the new client has the types of that workspace.
   *
   * @throws {ConfigurationError} when an option is invalid.
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
  withOptions<New extends Workspace>(
    options: ClientOptions<New> & { readonly workspace: New },
  ): MessagingAutomation<New>;
  withOptions(options: Omit<ClientOptions, 'workspace'> & { readonly workspace: null }): MessagingAutomation;
  withOptions(options: ClientOptions<W>): MessagingAutomation<W>;
  withOptions<New extends Workspace>(
    options: Omit<ClientOptions<W | New>, 'workspace'> & { readonly workspace?: W | New | null | undefined },
  ): MessagingAutomation<W | New> {
    if (!isObject(options)) configure(options); // refuses it
    const { fetch, transport, workspace, ...others } = this.#options;
    const { workspace: wanted, ...further } = options;
    const given = Object.entries(further).filter(([, value]) => value !== undefined);
    const changes: Omit<ClientOptions<W | New>, 'workspace'> = Object.fromEntries(given);
    const carrier = 'fetch' in changes || 'transport' in changes ? {} : { fetch, transport };
    const chosen = wanted === null ? undefined : (wanted ?? workspace);
    return new MessagingAutomation<W | New>({ ...others, ...carrier, ...changes, workspace: chosen });
  }

  /** Returns the base URL only, so that a serialised client contains no secret. */
  toJSON(): { readonly baseUrl: string } {
    return { baseUrl: this.#caller.settings.baseUrl };
  }

  /** @internal The text that Node, Bun and Deno print for `console.log(messaging)`. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `MessagingAutomation { baseUrl: '${this.#caller.settings.baseUrl}' }`;
  }
}
