import type { Operation, OperationRequest } from '../../contract/operation.js';
import type { Redact } from '../../contract/redaction.js';
import type { Failure } from '../errors/failure.js';
import type { TransportResponse } from '../transport/transport.js';
import { answerFailure } from './answer-failure.js';
import { saysRecordIsMissing } from './error-body.js';
import { type Reading, readAnswer } from './reading.js';
import { unusableAnswer } from './unusable-answer.js';

/** What an answer means: what there is to give, or why the attempt failed. */
export type Interpretation<Result> =
  | { readonly reading: Extract<Reading<Result>, { usable: true }> }
  | { readonly failure: Failure };

/** What besides the answer itself decides its meaning. */
export interface Circumstances<Result> {
  /** Whether an earlier attempt of the same call may have been carried out. */
  readonly lost: boolean;
  /** What the call gives where the service has no such record; without it, that is a failure. */
  readonly whenMissing: { readonly value: Result } | undefined;
  /** The time of the answer, in milliseconds since the Unix epoch. */
  readonly now: number;
  readonly redact: Redact;
}

/** Says what an answer means for an operation. It depends on nothing else and changes nothing. */
export function interpret<Request extends OperationRequest, Result>(
  operation: Operation<Request, Result>,
  answer: TransportResponse,
  { lost, whenMissing, now, redact }: Circumstances<Result>,
): Interpretation<Result> {
  if (answer.status >= 200 && answer.status < 300) {
    const reading = readAnswer(operation.result, answer);
    return reading.usable ? { reading } : { failure: unusableAnswer(answer, reading.problems, redact) };
  }
  const isMissing = saysRecordIsMissing(answer, redact);
  if (isMissing && whenMissing) return { reading: { usable: true, value: whenMissing.value, problems: [] } };
  // The first DELETE was carried out and its answer lost, so the second one finds nothing.
  if (isMissing && lost && operation.method === 'DELETE') {
    const reading = readAnswer(operation.result, answer);
    if (reading.usable) return { reading };
  }
  return { failure: answerFailure(operation, answer, now, redact) };
}
