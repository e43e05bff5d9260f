import type { Redact } from '../../contract/redaction.js';
import { type FieldProblem, listProblems } from '../../foundation/field-problem.js';
import { ResponseTooLargeError, UnusableResponseError } from '../errors/answered-errors.js';
import type { Failure } from '../errors/failure.js';
import { redactProblems } from '../errors/problems.js';
import type { TransportResponse } from '../transport/transport.js';
import { isGarbled } from './reading.js';
import { requestIdOf } from './request-id.js';

/** The failure of an attempt whose response has a success status and an unusable body. */
export function unusableAnswer(
  answer: TransportResponse,
  found: readonly FieldProblem[],
  redact: Redact,
): Failure {
  const { status, truncated } = answer;
  const ErrorClass = truncated ? ResponseTooLargeError : UnusableResponseError;
  const problems = redactProblems(found, redact);
  return {
    outcome: 'unknown',
    temporary: !truncated && isGarbled(answer),
    status,
    toError: (facts) =>
      new ErrorClass(
        `${facts.operation} was answered with ${status}, but the answer cannot be used: ` +
          `${listProblems(problems, 'the body', found.length)}. ` +
          `${status < 300 ? 'The request was probably carried out. ' : ''}` +
          'Check that the base URL is that of the service, ending before /v1.',
        { ...facts, status, requestId: requestIdOf(answer, redact), problems },
      ),
  };
}
