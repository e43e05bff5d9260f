import { errorStatuses, errorsOfAnyOperation, errorsOfBodies } from '../../contract/error.js';
import type { Redact } from '../../contract/redaction.js';
import { listProblems } from '../../foundation/field-problem.js';
import { parseRetryAfter } from '../../foundation/retry-after.js';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionError,
  QuotaExceededError,
  RateLimitError,
  SendFailedError,
  ServerError,
} from '../errors/answered-errors.js';
import { describeOutcome, type Failure } from '../errors/failure.js';
import type { Outcome } from '../errors/request-error.js';
import type { AnyCallable } from '../request/callable-operation.js';
import type { TransportResponse } from '../transport/transport.js';
import { type ErrorContent, excerpt, readErrorBody, requestIdOf, subjectOf404 } from './error-body.js';

const checkBaseUrl = 'Check the base URL: it ends before /v1, as in https://messaging.example.com/api.';

/** Interprets a response without a success status. */
export function answerFailure(
  operation: AnyCallable,
  answer: TransportResponse,
  now: number,
  redact: Redact,
): Failure {
  const { status } = answer;
  const content = readErrorBody(answer, redact);
  const retryAfter = parseRetryAfter(answer.headers.get('retry-after'), now);
  const requestId = requestIdOf(answer, redact);
  return {
    outcome: outcomeOf(status),
    // 501 and 505 concern the request itself, so a retry fails again.
    temporary: status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505),
    status,
    retryAfter,
    toError(facts) {
      const { code, details, message: serviceMessage } = content;
      const ErrorClass = errorClassOf(operation, status, code);
      const sentences = [
        `${facts.operation} ${status >= 500 ? 'failed' : 'was rejected'} with ${status}${code ? ` ${code}` : ''}.`,
        ...explain(operation, answer, content),
        facts.outcome === 'unknown' && describeOutcome(facts),
        serviceMessage && `The service says: ${quote(content)}`,
        requestId && `Request id: ${requestId}.`,
      ];
      const message = sentences.filter(Boolean).join(' ');
      const headers = safeHeaders(answer, redact);
      const body = excerpt(answer.body, 4_000, redact);
      const answered = { status, code, details, serviceMessage, retryAfter, requestId, headers, body };
      return new ErrorClass(message, { ...facts, ...answered });
    },
  };
}

/** Further statuses after which the request may have been carried out, in addition to 2xx and 5xx. */
const mayHaveActed: readonly number[] = [
  0, // a redirect whose status a browser hides
  302, // many applications use it for 303
  303, // the result of what was done is elsewhere
  408, // the server did not receive the whole request, and may have acted on a part of it
];

/** The outcome of a request, by the status of its response. */
export function outcomeOf(status: number): Outcome {
  const succeeded = status >= 200 && status < 300;
  return succeeded || status >= 500 || mayHaveActed.includes(status) ? 'unknown' : 'rejected';
}

function errorClassOf(operation: AnyCallable, status: number, code: string | undefined): typeof ApiError {
  switch (status) {
    case 400:
      return BadRequestError;
    case 401:
      return AuthenticationError;
    case 402:
      return QuotaExceededError;
    case 403:
      return code === 'unauthorized' ? AuthenticationError : PermissionError;
    case 404:
    case 410:
      return NotFoundError;
    case 422:
      return documents(operation, 422) && !speaksOfRequest(code) ? SendFailedError : BadRequestError;
    case 429:
      return RateLimitError;
    default:
      return status >= 500 ? ServerError : ApiError;
  }
}

/** Whether the code means that the request itself is invalid, whatever the status. */
function speaksOfRequest(code = ''): boolean {
  return code.startsWith('invalid_') || errorsOfBodies.some((error) => error.code === code);
}

function documents(operation: AnyCallable, status: number): boolean {
  return operation.errors.some(({ code }) => errorStatuses[code] === status);
}

/** The contract's description of the error with this code, or else of the only error with this status. */
function conditionOf(operation: AnyCallable, status: number, code: string | undefined): string | undefined {
  const known = [...operation.errors, ...errorsOfAnyOperation];
  const named = known.find((error) => error.code === code);
  if (named || code !== undefined) return named?.condition;
  const sameStatus = known.filter((error) => errorStatuses[error.code] === status);
  return sameStatus.length === 1 ? sameStatus[0]?.condition : undefined;
}

/** The meaning of the response, from the contract, and what to do about it. */
function explain(
  operation: AnyCallable,
  answer: TransportResponse,
  content: ErrorContent,
): readonly (string | undefined)[] {
  const { status } = answer;
  const missing = status === 404 ? subjectOf404(answer, content) : undefined;
  if (missing === 'address') return ["The answer is not the service's own.", checkBaseUrl];
  const condition = conditionOf(operation, status, content.code);
  const doubt =
    missing === 'unsaid' && `The answer says nothing, so the address may be wrong. ${checkBaseUrl}`;
  return [condition, adviceOn(operation, status, content.code), doubt || undefined];
}

function adviceOn(operation: AnyCallable, status: number, code: string | undefined): string | undefined {
  switch (status) {
    case 400:
      return 'Correct the request before making it again.';
    case 401:
    case 403:
      return 'Check the API key, and what it may do: apiKey, or MESSAGING_AUTOMATION_API_KEY.';
    case 402:
      return 'Nothing was sent. Stop sending until there is quota again.';
    case 404:
    case 410:
      return adviceOnMissing(operation, code);
    case 405:
      return checkBaseUrl;
    case 422:
      return 'Correct it before making the call again.';
    case 429:
      return 'Slow down, and retry after the time in Retry-After.';
    default:
      // A redirect is not followed: it would send the request a second time. Browsers hide its status as 0.
      return status < 400 ? `A redirect is not followed. ${checkBaseUrl}` : undefined;
  }
}

function adviceOnMissing(operation: AnyCallable, code: string | undefined): string | undefined {
  if (code?.includes('template')) return 'Check the template id: templates.list returns the existing ids.';
  if (operation.request.path) return 'Check the id.';
  return documents(operation, 404) ? 'Create the contact first, with contacts.upsert.' : undefined;
}

/** The response headers without cookies and credentials. */
function safeHeaders({ headers }: TransportResponse, redact: Redact): Readonly<Record<string, string>> {
  const safe: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (!/cookie|authorization/.test(name)) safe[name] = excerpt(value, 1_000, redact);
  });
  return safe;
}

function quote({ message, details, detailCount }: ErrorContent): string {
  const listed = listProblems(details, 'the request', detailCount);
  return `"${listed === '' ? message : `${message} (${listed})`}"`;
}
