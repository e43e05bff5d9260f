import type { Operation, OperationRequest, ResultShape } from '../../contract/operation.js';

/**
 * What a call needs to know of an operation: an entry of the contract's table has all of it, and so has a request that
 * the table does not know, whose answer may be anything.
 */
export interface CallableOperation<Request extends OperationRequest, Result>
  extends Pick<Operation<Request, Result>, 'name' | 'path' | 'request' | 'errors' | 'repeatable'> {
  readonly method: Operation<Request, Result>['method'] | 'PATCH';
  readonly result: ResultShape<Result> | { readonly kind: 'anything' };
}

/** The part of an operation that a call needs. */
export type AnyCallable = CallableOperation<OperationRequest, unknown>;
