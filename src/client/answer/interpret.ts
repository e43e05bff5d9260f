import type { OperationRequest } from '../../contract/operation.js';
import type { Redact } from '../../contract/redaction.js';
import type { Failure } from '../errors/failure.js';
import type { CallableOperation } from '../request/callable-operation.js';
import type { TransportResponse } from '../transport/transport.js';
import { answerFailure } from './answer-failure.js';
import { readErrorBody, whatIsMissing } from './error-body.js';
import { absent, readAnswer, type UsableReading } from './reading.js';
import { unusableAnswer } from './unusable-answer.js';

/** What an answer means: what there is to give, or why the attempt failed. */
export type Interpretation<Result> =
  | { readonly reading: UsableReading<Result> }
  | { readonly failure: Failure };

/** What besides the answer itself decides its meaning. */
export interface Circumstances<Result> {
  /** Whether an earlier attempt of the same call may have been carried out. */
  readonly lost: boolean;
  /** What the call gives where the service has no such record; without it, that is a failure. */
  readonly whenMissing: { readonly value: Result } | undefined;
  /** The time of the answer, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** How long a body may be. */
  readonly maxResponseBytes: number;
  readonly redact: Redact;
}

/** Says what an answer means for an operation. It depends on nothing else and changes nothing. */
export function interpret<Request extends OperationRequest, Result>(
  operation: CallableOperation<Request, Result>,
  whole: TransportResponse,
  { lost, whenMissing, now, maxResponseBytes, redact }: Circumstances<Result>,
): Interpretation<Result> {
  const answer = withinLimit(whole, maxResponseBytes);
  const { status } = answer;
  if (status >= 200 && status < 300) {
    const reading = readAnswer(operation.result, answer, maxResponseBytes);
    return reading.usable ? { reading } : { failure: unusableAnswer(answer, reading.problems, redact) };
  }
  // A DELETE that was carried out, and whose answer was lost, leaves nothing for the second one to find.
  if (status === 404 && (whenMissing || (lost && operation.method === 'DELETE'))) {
    const missing = whatIsMissing(answer, readErrorBody(answer, redact));
    const problems = missing === 'unsaid' ? [couldBeAnyones] : [];
    if (missing !== 'address') return { reading: { ...absent<Result>(problems), ...whenMissing } };
  }
  return { failure: answerFailure(operation, answer, now, redact) };
}

const couldBeAnyones = {
  field: '',
  message:
    'is empty, so that the 404 was taken for the word of the service, but may mean that the base URL is wrong',
};

/** A transport of the caller's own may give more than it was asked for. A character takes a byte or more. */
function withinLimit(answer: TransportResponse, maxBytes: number): TransportResponse {
  if (answer.body.length <= maxBytes) return answer;
  return { ...answer, body: answer.body.slice(0, maxBytes), truncated: true };
}
