import type { Clock } from '../../foundation/clock.js';
import type { CallOptions } from '../request/request-options.js';
import type { BulkInputs, SendManyOptions } from './options.js';

/** A bulk call: its items, the call for each item, and its options. */
export interface BulkJob<Input, Data> {
  readonly operation: { readonly name: string; readonly repeatable: boolean };
  readonly inputs: BulkInputs<Input>;
  readonly options: SendManyOptions;
  /** The client's clock and randomness, for the waits of the run. */
  readonly timing: { readonly clock: Clock; readonly random: () => number };
  /** A method and not a property, so that a job of a specific item type is assignable to a job of any type. */
  call(input: Input, options: CallOptions): PromiseLike<Data>;
  /** The template of a send. The service may reject all items with the same template. */
  templateOf?(input: Input): string;
  /** Whether the body of a success says that the call was carried out. Default: every success does. */
  isConfirmed?(data: Data): boolean;
}
