import type { CallSettings } from '../configuration.js';
import type { CallState } from '../request/request.js';
import type { TransportRequest, TransportResponse } from '../transport/transport.js';
import type { Deadline } from './deadline.js';
import type { AttemptState } from './progress.js';

/** Passes the request of an attempt on: to the next step, or to the service. */
export type PassOn = (request: TransportRequest) => Promise<TransportResponse>;

/** What a step may know of the call. */
export interface StepContext {
  readonly call: CallState;
  readonly attempt: AttemptState;
  /** Those of the client, with a redactor that knows the phones of this call. */
  readonly settings: CallSettings;
  readonly deadline: Deadline;
  /** Aborts when the call shall make no further attempt. */
  readonly noMoreAttempts: AbortSignal | undefined;
}

/**
 * What asks before a request leaves: it passes the request on and returns the response, or rejects with the error that ends the call.
 */
export type Step = (
  request: TransportRequest,
  passOn: PassOn,
  context: StepContext,
) => Promise<TransportResponse>;
