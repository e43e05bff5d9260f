import type { RequestOptions } from '../request/request-options.js';
import type { SendManyOptions } from './options.js';

/** One bulk call: the items, the call to make for each, and how. */
export interface BulkJob<Input, Data> {
  readonly operation: { readonly name: string; readonly repeatable: boolean };
  readonly inputs: Iterable<Input> | AsyncIterable<Input>;
  readonly options: SendManyOptions;
  /** A method, so that a run of particular items can stand for a run of any. */
  call(input: Input, options: RequestOptions): PromiseLike<Data>;
}
