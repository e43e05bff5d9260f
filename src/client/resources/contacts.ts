import type { UpdateContactInput, UpsertContactInput } from '../../contract/contact.js';
import { operations } from '../../contract/operations.js';
import { BulkRun } from '../bulk/bulk-run.js';
import type { BulkInputs, BulkOptions } from '../bulk/options.js';
import type { BulkSummary } from '../bulk/outcome.js';
import type { CallPromise } from '../call/call-promise.js';
import type { Caller } from '../call/caller.js';
import type { InferContact, InferProperties } from '../definition/infer.js';
import type { Workspace } from '../definition/workspace-definition.js';
import type { RequestOptions } from '../request/request-options.js';

/**
 * The contacts of the workspace, at `messaging.contacts`. If the client has a `workspace`, contact properties have its
 * names and types.
 *
 * Each method rejects with a `RequestError`: `InvalidInputError` before anything is sent, an `ApiError` for an error
 * response of the service, or `ConnectionError`, `TimeoutError` or `UnusableResponseError`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 *
 * const { contacts } = new MessagingAutomation();
 * const { id } = await contacts.upsert({ phone: '+15551234567', properties: { firstName: 'Ada' } });
 * await contacts.update(id, { properties: { city: 'London' } });
 * ```
 */
export class Contacts<W extends Workspace = Workspace> {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Creates the contact with this phone number, or updates it if it exists. Idempotent: the client retries it.
   *
   * Endpoint: `POST /v1/contacts`.
   *
   * @returns The contact. `withResponse()` tells whether it was created (status 201) or updated (200).
   * @throws {InvalidInputError} when the phone is not in E.164 format, or a property has an invalid value. Nothing was
   *   sent.
   * @throws {RequestError} Another of its subclasses, for any other failure.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const contact = await messaging.contacts.upsert({
   *   phone: '+15551234567',
   *   properties: { firstName: 'Ada', interests: ['chess', 'running'] },
   * });
   * console.log(contact.id, contact.properties); // contact_1 { firstName: 'Ada', … }
   * ```
   */
  upsert(
    input: UpsertContactInput<InferProperties<W>>,
    options?: RequestOptions,
  ): CallPromise<InferContact<W>> {
    return this.#caller.callTyped(operations.contacts.upsert, { body: input }, options);
  }

  /**
   * Upserts any number of contacts concurrently, in bounded memory: it reads the input only as fast as calls finish.
   * Use {@link Contacts.upsertEach} to get the outcome of each contact.
   *
   * A contact that fails does not end the run. The run stops early for causes that would fail every contact: 401, 402,
   * 403, a service that cannot be reached, your `signal`, an input that throws. `stoppedBecause` has the cause. After a
   * 429, the run slows down and retries; no contact is lost. With a `checkpoint`, a later run continues where this one
   * ended, and upserts again the contacts whose requests were in flight.
   *
   * Inputs with one phone keep their order, and do not overlap: the last one counts. If one of them stays open for the next
   * run, the later ones wait for it there.
   *
   * @returns The summary, even if the run stopped early.
   * @throws {InvalidInputError} when an option or the stored checkpoint is invalid.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * function* rows() {
   *   for (let line = 1; line <= 50; line += 1) yield { phone: `+1555123${4000 + line}`, properties: { line } };
   * }
   * const messaging = new MessagingAutomation();
   * const summary = await messaging.contacts.upsertMany(rows(), {
   *   concurrency: 4,
   *   total: 50,
   *   onProgress: ({ percent }) => console.log(`${percent} %`),
   * });
   * if (summary.stoppedBecause) throw summary.stoppedBecause.error;
   * console.log(summary.done, summary.rejected);
   * ```
   */
  upsertMany(
    inputs: BulkInputs<UpsertContactInput<InferProperties<W>>>,
    options?: BulkOptions,
  ): Promise<BulkSummary> {
    return this.upsertEach(inputs, options).summary();
  }

  /**
   * Upserts contacts as {@link Contacts.upsertMany} does, and yields the outcome of each contact. The run starts with
   * the loop.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const run = messaging.contacts.upsertEach([{ phone: '+15551234567' }, { phone: '555 1234' }]);
   * for await (const outcome of run) {
   *   if (outcome.status !== 'done') console.error(outcome.index, outcome.error.message);
   * }
   * console.log((await run.summary()).done);
   * ```
   */
  upsertEach(
    inputs: BulkInputs<UpsertContactInput<InferProperties<W>>>,
    options: BulkOptions = {},
  ): BulkRun<UpsertContactInput<InferProperties<W>>, InferContact<W>> {
    return new BulkRun({
      operation: operations.contacts.upsert,
      inputs,
      options,
      settings: this.#caller.settings,
      call: (input, callOptions) => this.upsert(input, callOptions),
      contactOf: ({ phone }) => phone,
    });
  }

  /**
   * Finds the contact with this phone number. Retried.
   *
   * Endpoint: `GET /v1/contacts/find`.
   *
   * @param phone The phone number in E.164 format, such as `+15551234567`.
   * @returns The contact, or `null` if none has this phone number.
   * @throws {NotFoundError} when the 404 comes from a wrong base URL, not from the service.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const contact = await messaging.contacts.find('+15551234567');
   * console.log(contact === null ? 'No such contact.' : contact.properties);
   * ```
   */
  find(phone: string, options?: RequestOptions): CallPromise<InferContact<W> | null> {
    return this.#caller.callTyped(operations.contacts.find, { query: { phone } }, options, {
      whenMissing: { value: null },
    });
  }

  /**
   * Returns the contact with this id. Retried.
   *
   * Endpoint: `GET /v1/contacts/:id`.
   *
   * @throws {NotFoundError} when no contact has this id.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const { id } = await messaging.contacts.upsert({ phone: '+15551234567' });
   * const contact = await messaging.contacts.get(id);
   * console.log(contact.properties.phone);
   * ```
   */
  get(id: string, options?: RequestOptions): CallPromise<InferContact<W>> {
    return this.#caller.callTyped(operations.contacts.get, { path: { id } }, options);
  }

  /**
   * Changes the given properties, and leaves all others as they are. Retried.
   *
   * Endpoint: `PUT /v1/contacts/:id`.
   *
   * @returns The contact if the response contains it, else `undefined`: the service does not document this response.
   * @throws {NotFoundError} when no contact has this id.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const { id } = await messaging.contacts.upsert({ phone: '+15551234567' });
   * await messaging.contacts.update(id, { properties: { city: 'London' } });
   * ```
   */
  update(
    id: string,
    input: UpdateContactInput<InferProperties<W>>,
    options?: RequestOptions,
  ): CallPromise<InferContact<W> | undefined> {
    return this.#caller.callTyped(operations.contacts.update, { path: { id }, body: input }, options);
  }

  /**
   * Deletes the contact permanently, with its properties, events and segment memberships. Retried: a retry that finds
   * no contact resolves, because an earlier attempt deleted it.
   *
   * Endpoint: `DELETE /v1/contacts/:id`.
   *
   * @throws {NotFoundError} when no contact has this id.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const { id } = await messaging.contacts.upsert({ phone: '+15551234567' });
   * await messaging.contacts.delete(id);
   * ```
   */
  delete(id: string, options?: RequestOptions): CallPromise<void> {
    return this.#caller.call(operations.contacts.delete, { path: { id } }, options);
  }
}
