import { errorStatuses, errorsOfAnyOperation, errorsOfBodies } from '../../contract/error.js';
import type { Redact } from '../../contract/redaction.js';
import { parseRetryAfter } from '../../foundation/clock.js';
import { listProblems } from '../../foundation/options.js';
import { describeOutcome, factsOf, type Outcome } from '../errors/request-error.js';
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
} from '../errors/response-errors.js';
import type { AnyCallable, CallState } from '../request/request.js';
import type { TransportResponse } from '../transport/transport.js';
import { type ErrorContent, excerpt, readErrorBody, requestIdOf, subjectOf404 } from './error-body.js';

const checkKey = 'Check the API key, and what it may do: apiKey, or MESSAGING_AUTOMATION_API_KEY.';
const checkBaseUrl = 'Check the base URL: it ends before /v1, as in https://messaging.example.com/api.';

/** The error of a call whose response has no success status. */
export function errorOfResponse(
  call: CallState,
  response: TransportResponse,
  now: number,
  redact: Redact,
): ApiError {
  const { operation } = call;
  const { status } = response;
  // 501 and 505 concern the request itself, so a retry fails again.
  const isOfServer = status >= 500 && status !== 501 && status !== 505;
  const facts = factsOf(call, status === 408 || status === 429 || isOfServer);
  const content = readErrorBody(response, redact);
  const { code, details, message: serviceMessage } = content;
  const requestId = requestIdOf(response, redact);
  const [ErrorClass, advice] = judge(operation, status, code);
  const missing = status === 404 ? subjectOf404(response, content) : undefined;
  const isForeign = missing === 'address';
  const sentences = [
    `${operation.name} ${status >= 500 ? 'failed' : 'was rejected'} with ${status}${code ? ` ${code}` : ''}.`,
    isForeign ? "The response is not the service's own." : conditionOf(operation, status, code),
    isForeign ? checkBaseUrl : advice,
    missing === 'unsaid' && `The response says nothing, so the address may be wrong. ${checkBaseUrl}`,
    facts.outcome === 'unknown' && describeOutcome(facts),
    serviceMessage && `The service says: ${quote(content)}`,
    requestId && `Request id: ${requestId}.`,
  ];
  return new ErrorClass(sentences.filter(Boolean).join(' '), {
    ...facts,
    status,
    code,
    details,
    serviceMessage,
    retryAfter: parseRetryAfter(response.headers.get('retry-after'), now),
    requestId,
    headers: safeHeaders(response, redact),
    body: excerpt(response.body, 4_000, redact),
  });
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

/** The class of the error, and what to do about it. */
function judge(
  operation: AnyCallable,
  status: number,
  code = '',
): readonly [ErrorClass: typeof ApiError, advice?: string | undefined] {
  switch (status) {
    case 400:
      return [BadRequestError, 'Correct the request before making it again.'];
    case 401:
      return [AuthenticationError, checkKey];
    case 402:
      return [QuotaExceededError, 'Nothing was sent. Stop sending until there is quota again.'];
    case 403:
      return [code === 'unauthorized' ? AuthenticationError : PermissionError, checkKey];
    case 404:
    case 410:
      return [NotFoundError, adviceOnMissing(operation, code)];
    case 405:
      return [ApiError, checkBaseUrl];
    case 422: {
      const isSend = documents(operation, 422) && !speaksOfRequest(code);
      return [isSend ? SendFailedError : BadRequestError, 'Correct it before making the call again.'];
    }
    case 429:
      return [RateLimitError, 'Slow down, and retry after the time in Retry-After.'];
    default:
      if (status >= 500) return [ServerError];
      // A redirect is not followed: it would send the request a second time. Browsers hide its status as 0.
      return status < 400 ? [ApiError, `A redirect is not followed. ${checkBaseUrl}`] : [ApiError];
  }
}

/** Whether the code means that the request itself is invalid, whatever the status. */
function speaksOfRequest(code: string): boolean {
  return code.startsWith('invalid_') || errorsOfBodies.some((error) => error.code === code);
}

function documents(operation: AnyCallable, status: number): boolean {
  return operation.errors.some(({ code }) => errorStatuses[code] === status);
}

function adviceOnMissing(operation: AnyCallable, code: string): string | undefined {
  if (code.includes('template')) return 'Check the template id: templates.list returns the existing ids.';
  if (operation.request.path) return 'Check the id.';
  return documents(operation, 404) ? 'Create the contact first, with contacts.upsert.' : undefined;
}

/** The contract's description of the error with this code, or else of the only error with this status. */
function conditionOf(operation: AnyCallable, status: number, code: string | undefined): string | undefined {
  const known = [...operation.errors, ...errorsOfAnyOperation];
  const fitting = known.filter((error) =>
    code === undefined ? errorStatuses[error.code] === status : error.code === code,
  );
  return fitting.length === 1 ? fitting[0]?.condition : undefined;
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
