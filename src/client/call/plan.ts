import type { OperationRequest } from '../../contract/operation.js';
import type { OptionChecks } from '../../foundation/options.js';
import type { CallSettings } from '../configuration.js';
import type { CallableOperation } from '../request/request.js';
import type { CallOptions } from '../request/request-options.js';
import type { WithResponse } from '../response/interpret.js';
import type { Deadline } from './deadline.js';
import type { CallProgress } from './progress.js';
import type { Step } from './step.js';

/** Everything that is known of a call before it begins, except its request. */
export interface CallPlan<Result> {
  /** Those of the client, with a redactor that knows the phones of this call. */
  readonly settings: CallSettings;
  readonly operation: CallableOperation<OperationRequest, Result>;
  readonly options: CallOptions;
  /** What the options were that the call was given, which may be anything in a program without types. */
  readonly given: unknown;
  /** The checks of the options that only this operation has. Default: none. */
  readonly ownOptions?: OptionChecks | undefined;
  /** What the call returns for a missing record. Without it, a missing record is an error. */
  readonly whenMissing?: { readonly value: Result } | undefined;
  /** Whether the guards of the client are asked before each request. Default: false. */
  readonly isGuarded?: boolean | undefined;
  /** Decides whether the call makes its requests, and learns what became of them. Default: it makes them. */
  readonly around?: Around<Result> | undefined;
}

/** A call whose input is valid, and which has sent nothing yet. */
export interface ReadyCall<Result> {
  readonly settings: CallSettings;
  readonly call: CallProgress<Result>;
  /** The JSON of the request. */
  readonly body: string | undefined;
  readonly deadline: Deadline;
  /** Aborts when the call shall make no further attempt. */
  readonly noMoreAttempts: AbortSignal | undefined;
  /** Makes the requests of the call, and asks `confirmKey` last before each of them. */
  readonly makeRequests: (confirmKey: Step) => Promise<WithResponse<Result>>;
}

/** Stands around all requests of a call, within its deadline. */
export type Around<Result> = (call: ReadyCall<Result>) => Promise<WithResponse<Result>>;
