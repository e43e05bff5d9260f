import type { Redact } from '../../contract/redaction.js';
import { type FieldProblem, listProblems } from '../../foundation/field-problem.js';
import type { Failure } from '../errors/failure.js';
import { redactProblems } from '../errors/problems.js';
import { UnusableResponseError } from '../errors/unusable-response-error.js';
import type { TransportResponse } from '../transport/transport.js';
import { requestIdOf } from './request-id.js';

/** The failure of an attempt whose answer is a success that cannot be read. */
export function unusableAnswer(
  answer: TransportResponse,
  found: readonly FieldProblem[],
  redact: Redact,
): Failure {
  const { status } = answer;
  const problems = redactProblems(found, redact);
  return {
    outcome: 'unknown',
    temporary: false,
    status,
    toError: (facts) =>
      new UnusableResponseError(
        `${facts.operation} was answered with ${status}, but the answer cannot be used: ` +
          `${listProblems(problems, 'the body')}. The request was probably carried out. ` +
          'Check that the base URL is that of the service, ending before /v1.',
        { ...facts, status, requestId: requestIdOf(answer, redact), problems },
      ),
  };
}
