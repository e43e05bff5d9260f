import type { Redact } from '../../contract/redaction.js';
import { type FieldProblem, listProblems } from '../../foundation/options.js';
import { describeOutcome, factsOf, RequestError, redactProblems } from '../errors/request-error.js';
import { ResponseTooLargeError, UnusableResponseError } from '../errors/response-errors.js';
import type { CallState } from '../request/request.js';
import type { TransportResponse } from '../transport/transport.js';
import { isGarbled } from './reading.js';
import { requestIdOf } from './response-facts.js';

/** The error of a call whose response has a success status and an unusable body. */
export function errorOfUnusable(
  call: CallState,
  response: TransportResponse,
  found: readonly FieldProblem[],
  redact: Redact,
): UnusableResponseError {
  const { status, truncated } = response;
  const ErrorClass = truncated ? ResponseTooLargeError : UnusableResponseError;
  const facts = factsOf(call, !truncated && isGarbled(response));
  const problems = redactProblems(found, redact);
  const message =
    `${facts.operation} returned ${status} with an unusable body: ` +
    `${listProblems(problems, 'the body', found.length)}. ` +
    `${status < 300 ? 'The service probably processed it. ' : ''}` +
    'Check that the base URL is that of the service, ending before /v1.';
  return new ErrorClass(message, { ...facts, status, requestId: requestIdOf(response, redact), problems });
}

/** The error of a call whose fetch or transport returned something else than an HTTP response. */
export function errorOfForeign(call: CallState, reason: string): RequestError {
  const facts = factsOf(call, false);
  const message = `${facts.operation} got no HTTP response from the client's fetch or transport: ${reason}. ${describeOutcome(facts)}`;
  return new RequestError(message, facts);
}
