import type { RequestOptions } from '../request/request-options.js';
import type { CheckpointStore } from './checkpoint.js';
import type { BulkProgress } from './outcome.js';

/**
 * What a bulk method takes besides its input. `timeout`, `retries` and `headers` are those of each item's call.
 *
 * @example
 * ```ts
 * import { type BulkOptions, MessagingAutomation } from 'messaging-automation';
 *
 * const options: BulkOptions = {
 *   concurrency: 4,
 *   retries: 5,
 *   onProgress: ({ done, rejected }) => console.log(`${done} done, ${rejected} rejected`),
 * };
 * await new MessagingAutomation().contacts.upsertMany([{ phone: '+15551234567' }], options);
 * ```
 */
export interface BulkOptions extends RequestOptions {
  /** How many items are worked on at once, 1 or more. Nothing is read further ahead. Default: 8. */
  readonly concurrency?: number | undefined;
  /**
   * Ends the run early: no further item is begun. Those under way are not cut off, which would leave it unknown
   * whether they were carried out; the run ends once they have.
   */
  readonly signal?: AbortSignal | undefined;
  /** Told after each item worked on. What it throws is ignored. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
  /**
   * Where the run keeps what it has behind it. A run with the same checkpoint and the same input, in the same
   * order, goes on where the last one ended, however that one ended. It takes up again what was not done for a cause
   * that lies outside the item: no quota, a refused key, no connection.
   */
  readonly checkpoint?: CheckpointStore | undefined;
}

/**
 * What `transactional.sendMany` takes besides its input.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type SendManyOptions } from 'messaging-automation';
 *
 * const options: SendManyOptions = { concurrency: 2, signal: AbortSignal.timeout(60_000) };
 * await new MessagingAutomation().transactional.sendMany([], options);
 * ```
 */
export interface SendManyOptions extends BulkOptions {
  /**
   * Sends again what the checkpoint holds as unknown. Each of these may reach its contact a second time: only for
   * when you have found out that they did not arrive, or when twice is better than never. Default: false.
   */
  readonly retryUnknown?: boolean | undefined;
}
