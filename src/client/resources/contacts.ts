import type { UpdateContactInput, UpsertContactInput } from '../../contract/contact.js';
import { operations } from '../../contract/operations.js';
import { BulkRun } from '../bulk/bulk-run.js';
import type { BulkInputs, BulkOptions } from '../bulk/options.js';
import type { BulkSummary } from '../bulk/outcome.js';
import type { CallPromise } from '../call/call-promise.js';
import type { Caller } from '../call/caller.js';
import type { RequestOptions } from '../request/request-options.js';
import type { InferContact, InferProperties } from '../workspace/infer.js';
import { operationsOf } from '../workspace/operations.js';
import type { Workspace } from '../workspace/workspace.js';

/**
 * The workspace's contacts (document §2 and §4), at `messaging.contacts`. Where the client knows its workspace, by
 * `defineWorkspace`, its properties have names and types.
 *
 * Each method rejects with a `RequestError`: `InvalidInputError` before anything is sent, `ApiError` and those
 * that extend it for what the service answers, `ConnectionError`, `TimeoutError` or `UnusableResponseError`.
 *
 * @example
 * ```ts
 * import { type Contacts, MessagingAutomation } from 'messaging-automation';
 *
 * const contacts: Contacts = new MessagingAutomation().contacts;
 * console.log(await contacts.find('+15551234567'));
 * ```
 */
export class Contacts<W extends Workspace = Workspace> {
  readonly #caller: Caller;
  readonly #endpoints = operationsOf<W>().contacts;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Creates the contact with this phone, or updates it (document §4, POST /v1/contacts). Sent twice, it does no
   * more than once, so it is retried.
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
   * console.log(contact.id);
   * ```
   */
  upsert(
    input: UpsertContactInput<InferProperties<W>>,
    options?: RequestOptions,
  ): CallPromise<InferContact<W>> {
    return this.#caller.call(this.#endpoints.upsert, { body: input }, options);
  }

  /**
   * Upserts any number of contacts, several at once, in bounded memory: the run reads the input as places become free.
   * It gives a summary; {@link Contacts.upsertEach} also gives the outcome of each contact.
   *
   * One contact that fails does not end the run. What hits contact after contact does: 401, 402, 403, a service that
   * cannot be reached, your `signal`, an input that throws; see `stoppedBecause`. A 429 slows all of them down, and
   * costs none. With a `checkpoint`, a later run continues where this one ended; contacts that were on the wire are
   * upserted again.
   *
   * @returns The summary, also where the run stopped early.
   * @throws {InvalidInputError} where an option or the stored checkpoint is wrong.
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
   * Upserts as {@link Contacts.upsertMany} does, and gives the outcome of each contact to the loop over it. It starts
   * with the loop.
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
      timing: this.#caller.timing,
      call: (input, callOptions) => this.upsert(input, callOptions),
    });
  }

  /**
   * Finds the contact with this phone, an E.164 number; `null` when there is none (document §4, GET
   * /v1/contacts/find). Retried.
   *
   * @throws {NotFoundError} when the 404 shows that the base URL is wrong rather than the contact missing.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const contact = await messaging.contacts.find('+15551234567');
   * console.log(contact === null ? 'nobody' : contact.properties);
   * ```
   */
  find(phone: string, options?: RequestOptions): CallPromise<InferContact<W> | null> {
    return this.#caller.callOrNull(this.#endpoints.find, { query: { phone } }, options);
  }

  /**
   * Returns the contact with this id (document §4, GET /v1/contacts/:id). Retried.
   *
   * @throws {NotFoundError} when there is none.
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
    return this.#caller.call(this.#endpoints.get, { path: { id } }, options);
  }

  /**
   * Changes the properties named, and leaves all others as they are (document §4, PUT /v1/contacts/:id). Retried.
   *
   * @returns The contact where the service answers with it, else `undefined`: the document does not show it.
   * @throws {NotFoundError} when there is no such contact.
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
    return this.#caller.call(this.#endpoints.update, { path: { id }, body: input }, options);
  }

  /**
   * Deletes the contact with its properties, events and segment memberships, for good (document §4, DELETE
   * /v1/contacts/:id). Retried; a retry that no longer finds the contact counts as done.
   *
   * @throws {NotFoundError} when there is no such contact.
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
