import type { Clock } from '../../foundation/clock.js';
import type { CallOptions } from '../request/request-options.js';
import type { BulkInputs, SendManyOptions } from './options.js';

/** One bulk call: the items, the call to make for each, and how. */
export interface BulkJob<Input, Data> {
  readonly operation: { readonly name: string; readonly repeatable: boolean };
  readonly inputs: BulkInputs<Input>;
  readonly options: SendManyOptions;
  /** The client's, for the waits of the run. */
  readonly timing: { readonly clock: Clock; readonly random: () => number };
  /** A method, so that a run of particular items can stand for a run of any. */
  call(input: Input, options: CallOptions): PromiseLike<Data>;
  /** The template of a send: what may be refused for all items that share it. */
  templateOf?(input: Input): string;
  /** Whether the answer of a call that succeeded says that nothing was done. */
  isDenied?(data: Data): boolean;
}
