import { operations } from '../../contract/operations.js';
import type { SendResult } from '../../contract/transactional.js';
import { BulkRun } from '../bulk/bulk-run.js';
import type { BulkInputs, SendManyOptions } from '../bulk/options.js';
import type { BulkSummary } from '../bulk/outcome.js';
import type { CallPromise } from '../call/call-promise.js';
import type { Caller } from '../call/caller.js';
import type { Around } from '../call/plan.js';
import type { InferSendInput } from '../definition/infer.js';
import type { Workspace } from '../definition/workspace-definition.js';
import type { UnsettledKey, UnsettledOptions } from '../idempotency/unsettled.js';
import type { SendOptions } from '../request/request-options.js';

/**
 * Template messages to single contacts, at `messaging.transactional`. If the client has a `workspace`, you can send its
 * templates by your own names, with named variables. `templateId` still sends any template.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 *
 * const { contacts, transactional } = new MessagingAutomation();
 * await contacts.upsert({ phone: '+15551234567' });
 * await transactional.send({
 *   phone: '+15551234567',
 *   templateId: 'order_update',
 *   variables: { '1': 'Ada', '2': 'A-1001' },
 * });
 * ```
 */
export class Transactional<W extends Workspace = Workspace> {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Sends an approved template message to an existing contact. Each message counts against the plan's conversation
   * quota.
   *
   * Endpoint: `POST /v1/transactional`.
   *
   * The client retries only if the request did not reach the service or was rejected with 429 (or with 401, if `apiKey` is a function),
   * because a retry could send the message twice.
   *
   * With an `idempotencyKey`, the message is sent once, however often you call: in a job that a queue runs again, in several
   * processes, after a crash. A call whose message was sent before resolves without a request, with `replayed: true`. Two calls
   * at once make one request, and both get its result. A key whose send was rejected or not sent is free again.
   *
   * @returns `{ success: true }` when the service accepted the message.
   * @throws {QuotaExceededError} (402) when the quota and the add-on credits are exhausted.
   * @throws {NotFoundError} (404) when no contact has this phone number. Create it with `contacts.upsert` first.
   * @throws {SendFailedError} (422) when the chat provider rejected the send, for example because the template is not
   *   approved.
   * @throws {InvalidInputError} when the input is invalid, or the `idempotencyKey` was used for another phone or template.
   *   Nothing was sent.
   * @throws {SendBlockedError} when one of the client's `guards` holds the message back. Nothing was sent.
   * @throws {SendGuardError} when one of the client's `guards` fails. Nothing was sent.
   * @throws {IdempotencyError} when an earlier call with the `idempotencyKey` may have sent the message, or the store failed.
   * @throws {RequestError} Another of its subclasses. If its `outcome` is `unknown`, the message may have been sent:
   *   check before you send it again.
   *
   * @example
   * ```ts
   * import { MessagingAutomation, RequestError } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * await messaging.contacts.upsert({ phone: '+15551234567' });
   * try {
   *   await messaging.transactional.send({
   *     phone: '+15551234567',
   *     templateId: 'order_update',
   *     variables: { '1': 'Ada', '2': 'A-1001' },
   *   });
   * } catch (error) {
   *   if (error instanceof RequestError && error.outcome === 'unknown') console.error('Check before you send it again.');
   *   else throw error;
   * }
   * ```
   */
  send(input: InferSendInput<W>, options?: SendOptions): CallPromise<SendResult> {
    return this.#caller.callTyped(operations.transactional.send, { body: input }, options, {
      isGuarded: true,
      once,
    });
  }

  /**
   * Ends the unknown outcome of an idempotency key, once you have found out whether the message was sent. `sent`: later calls with
   * the key resolve without a request. `not_sent`: the next call with the key sends.
   *
   * @returns Whether the outcome was unknown. False, with no effect, if the key is free, its message is known as sent, or a call
   *   is sending it.
   * @throws {InvalidInputError} when the client has no store, or the key was used with another base URL.
   * @throws {IdempotencyError} when the store failed.
   *
   * @example
   * ```ts
   * import { createMemoryKeyValueStore, MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation({ idempotencyStore: createMemoryKeyValueStore() });
   * console.log(await messaging.transactional.settle('order-1001-shipped', 'sent')); // false: nobody has used this key
   * ```
   */
  async settle(idempotencyKey: string, outcome: 'sent' | 'not_sent'): Promise<boolean> {
    const { settleForClient } = await import('../idempotency/once.js');
    return settleForClient(this.#caller.settings, 'transactional.send', idempotencyKey, outcome);
  }

  /**
   * Lists the idempotency keys of messages that may have been sent, the oldest first. Find out what has become of each, and end it with
   * {@link Transactional.settle}. A key whose call is under way is not among them, and neither are those of other base URLs.
   *
   * @throws {InvalidInputError} when the client has no store, or an option is invalid.
   * @throws {IdempotencyError} when the store failed, or cannot list its keys: a Redis Cluster, or a store of your own without `list`.
   *
   * @example
   * ```ts
   * import { createMemoryKeyValueStore, MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation({ idempotencyStore: createMemoryKeyValueStore() });
   * for (const { idempotencyKey, about, contact } of await messaging.transactional.unsettled())
   *   console.log(idempotencyKey, about, contact); // order-1001-shipped order_update +***67
   * ```
   */
  async unsettled(options: UnsettledOptions = {}): Promise<readonly UnsettledKey[]> {
    const { unsettledForClient } = await import('../idempotency/once.js');
    return unsettledForClient(this.#caller.settings, 'transactional.send', options);
  }

  /**
   * Sends any number of template messages concurrently, in bounded memory: it reads the input only as fast as calls
   * finish. Use {@link Transactional.sendEach} to get the outcome of each send.
   *
   * A send that fails does not end the run. The run stops early for causes that would fail every send: 401, 402, 403, a
   * template that is not approved, a service that cannot be reached, your `signal`, an input that throws.
   * `stoppedBecause` has the cause. After a 429, the run slows down and retries; no send is lost.
   *
   * With a `checkpoint`, a later run continues where this one ended, and sends nothing twice, even if the process was
   * killed: the run records each item before it sends the request. An item without a recorded outcome counts as
   * `unknown`. With an `idempotencyKey` for each item, the later run resolves it by its key.
   *
   * Messages to one phone keep their order, and do not overlap. If one of them stays open for the next run, the later ones wait
   * for it there.
   *
   * @returns The summary, even if the run stopped early.
   * @throws {InvalidInputError} when an option or the stored checkpoint is invalid.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const phones = ['+15551234567', '+15557654321'];
   * await messaging.contacts.upsertMany(phones.map((phone) => ({ phone })));
   *
   * const { done, stoppedBecause } = await messaging.transactional.sendMany(
   *   phones.map((phone) => ({ phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } })),
   * );
   * console.log(done, stoppedBecause?.reason ?? 'complete');
   * ```
   */
  sendMany(
    inputs: BulkInputs<InferSendInput<W>>,
    options?: SendManyOptions<InferSendInput<W>>,
  ): Promise<BulkSummary> {
    return this.sendEach(inputs, options).summary();
  }

  /**
   * Sends as {@link Transactional.sendMany} does, and yields the outcome of each send. The run starts with the loop.
   *
   * @example
   * ```ts
   * import { MessagingAutomation } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * const run = messaging.transactional.sendEach([
   *   { phone: '+15551234567', templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } },
   * ]);
   * for await (const outcome of run) {
   *   if (outcome.status !== 'done') console.error(outcome.index, outcome.status, outcome.error.message);
   * }
   * console.log((await run.summary()).stoppedBecause?.reason ?? 'complete');
   * ```
   */
  sendEach(
    inputs: BulkInputs<InferSendInput<W>>,
    options: SendManyOptions<InferSendInput<W>> = {},
  ): BulkRun<InferSendInput<W>, SendResult> {
    const { idempotencyKey }: SendManyOptions<InferSendInput<W>> = Object(options);
    return new BulkRun({
      operation: operations.transactional.send,
      inputs,
      options,
      settings: this.#caller.settings,
      call: (input, callOptions) => this.send(input, callOptions),
      contactOf: ({ phone }) => phone,
      ...(idempotencyKey && { keyOf: (input, index) => idempotencyKey(input, index) }),
      templateOf: (input) => String('template' in input ? input.template : input.templateId),
    });
  }
}

/** Sends once for a key. A call without a key does not load this code. */
function once(key: string): Around<SendResult> {
  return async (ready) => {
    const { callOnce, keyedSend } = await import('../idempotency/once.js');
    return callOnce(key, keyedSend, ready);
  };
}
