import { operations } from '../../contract/operations.js';
import type { SendResult } from '../../contract/transactional.js';
import { BulkRun } from '../bulk/bulk-run.js';
import type { BulkInputs, SendManyOptions } from '../bulk/options.js';
import type { BulkSummary } from '../bulk/outcome.js';
import type { CallPromise } from '../call/call-promise.js';
import type { Caller } from '../call/caller.js';
import type { RequestOptions } from '../request/request-options.js';
import type { InferSendInput } from '../workspace/infer.js';
import { operationsOf } from '../workspace/operations.js';
import type { Workspace } from '../workspace/workspace.js';

/**
 * One-off template messages (document §4), at `messaging.transactional`. Where the client knows its workspace, by
 * `defineWorkspace`, its templates have names of your own, and their variables too; any template can still be sent by
 * `templateId`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type Transactional } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const transactional: Transactional = messaging.transactional;
 * await messaging.contacts.upsert({ phone: '+15551234567' });
 * await transactional.send({
 *   phone: '+15551234567',
 *   templateId: 'order_update',
 *   variables: { '1': 'Ada', '2': 'A-1001' },
 * });
 * ```
 */
export class Transactional<W extends Workspace = Workspace> {
  readonly #caller: Caller;
  readonly #endpoints = operationsOf<W>().transactional;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Sends an approved template message to one existing contact (document §4, POST /v1/transactional). Counts
   * against the plan's conversation quota.
   *
   * It is made again only when the request provably never reached the service, or was turned away with 429: a
   * second send would be a second message. Where `outcome` is `unknown`, the message may be on its way.
   *
   * @throws {QuotaExceededError} (402) when quota and add-on credits are exhausted.
   * @throws {NotFoundError} (404) when no contact has this phone.
   * @throws {SendFailedError} (422) when the provider rejected the send.
   * @throws {RequestError} of another class, for any other failure.
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
   *   if (error instanceof RequestError && error.outcome === 'unknown') console.error('It may be on its way.');
   *   else throw error;
   * }
   * ```
   */
  send(input: InferSendInput<W>, options?: RequestOptions): CallPromise<SendResult> {
    return this.#caller.call(this.#endpoints.send, { body: input }, options);
  }

  /**
   * Sends any number of template messages, several at once, in bounded memory: the run reads the input as places
   * become free. It gives a summary; {@link Transactional.sendEach} also gives the outcome of each send.
   *
   * One send that fails does not end the run. What hits send after send does: 401, 402, 403, a template that is not
   * approved, a service that cannot be reached, your `signal`, an input that throws; see `stoppedBecause`. A 429 slows
   * all of them down, and costs none.
   *
   * With a `checkpoint`, a later run continues where this one ended, and sends nothing twice even if the process was
   * killed: each item is recorded before its request goes out, and one whose end was not recorded comes as `unknown`.
   *
   * @returns The summary, also where the run stopped early.
   * @throws {InvalidInputError} where an option or the stored checkpoint is wrong.
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
  sendMany(inputs: BulkInputs<InferSendInput<W>>, options?: SendManyOptions): Promise<BulkSummary> {
    return this.sendEach(inputs, options).summary();
  }

  /**
   * Sends as {@link Transactional.sendMany} does, and gives the outcome of each send to the loop over it. It starts
   * with the loop.
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
    options: SendManyOptions = {},
  ): BulkRun<InferSendInput<W>, SendResult> {
    return new BulkRun({
      operation: operations.transactional.send,
      inputs,
      options,
      timing: this.#caller.timing,
      call: (input, callOptions) => this.send(input, callOptions),
      templateOf: (input) => String('template' in input ? input.template : input.templateId),
      isDenied: ({ success }) => success === false,
    });
  }
}
