import { type ErrorCode, errorStatuses, errorsOfAnyOperation, errorsOfBodies } from '../../contract/error.js';
import type { Redact } from '../../contract/redaction.js';
import { parseRetryAfter } from '../../foundation/clock.js';
import { isObject } from '../../foundation/is-object.js';
import { type FieldProblem, listProblems } from '../../foundation/options.js';
import { describeOutcome, factsOf } from '../errors/request-error.js';
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
import { isPage, parseJson } from './reading.js';
import { requestIdOf } from './response-facts.js';

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
  const condition = isForeign
    ? "The response is not the service's own."
    : conditionOf(operation, status, code);
  const saysMore = serviceMessage !== condition || details.length > 0;
  const sentences = [
    `${operation.name} ${status >= 500 ? 'failed' : 'was rejected'} with ${status}${code ? ` ${code}` : ''}.`,
    serviceMessage && saysMore && `The service says: ${quote(content)}`,
    condition,
    isForeign ? checkBaseUrl : advice,
    missing === 'unsaid' && `The response says nothing, so the address may be wrong. ${checkBaseUrl}`,
    facts.outcome === 'unknown' && describeOutcome(facts),
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

type Judgement = readonly [ErrorClass: typeof ApiError, advice?: string | undefined];

const correctRequest = 'Correct the request before making it again.';

/** The class of each error of the contract, and what to do about it. What to do about a missing record depends on the operation. */
const judgements: Readonly<Record<ErrorCode, Judgement>> = {
  quota_exceeded: [QuotaExceededError, 'Nothing was sent. Stop sending until there is quota again.'],
  not_found: [NotFoundError],
  send_failed: [SendFailedError, 'Correct it before making the call again.'],
  template_not_found: [NotFoundError],
  invalid_json: [BadRequestError, correctRequest],
  invalid_request: [BadRequestError, correctRequest],
  unauthorized: [AuthenticationError, checkKey],
  unknown_path: [NotFoundError],
  method_not_allowed: [ApiError, checkBaseUrl],
  payload_too_large: [ApiError],
  unsupported_media_type: [ApiError],
  rate_limited: [RateLimitError, 'Slow down, and retry after the time in Retry-After.'],
  internal_error: [ServerError],
  service_unavailable: [ServerError],
};

/** The class of the error, and what to do about it. A status decides before a code, because the codes of a service are not all known. */
function judge(operation: AnyCallable, status: number, code = ''): Judgement {
  if (status >= 500) return [ServerError];
  // A redirect is not followed: it would send the request a second time. Browsers hide its status as 0.
  if (status < 400) return [ApiError, `A redirect is not followed. ${checkBaseUrl}`];
  if (status === 403) return code === 'unauthorized' ? judgements.unauthorized : [PermissionError, checkKey];
  if (status === 422 && (speaksOfRequest(code) || !documents(operation, 422)))
    return [BadRequestError, 'Correct it before making the call again.'];
  const judgement = judgementOf(status === 410 ? 404 : status);
  return judgement[0] === NotFoundError ? [NotFoundError, adviceOnMissing(operation, code)] : judgement;
}

/** That of the first error with this status. */
function judgementOf(status: number): Judgement {
  const statuses: Readonly<Record<string, number>> = errorStatuses;
  const [, judgement] = Object.entries(judgements).find(([code]) => statuses[code] === status) ?? [];
  return judgement ?? [ApiError];
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

/** The parsed body of an error. The service documents codes, but no body. */
interface ErrorContent {
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly details: readonly FieldProblem[];
  /** The number of details; `details` may contain fewer. */
  readonly detailCount: number;
}

const longestMessage = 300;
const mostDetails = 100;

/**
 * Parses `{ error: { code, message, details } }`, `{ code, message }`, `{ error: "code" }` and plain text. It redacts
 * everything, because the body may repeat what was sent.
 */
export function readErrorBody(response: TransportResponse, redact: Redact): ErrorContent {
  const body = parseJson(response.body);
  const text = body === undefined && !isPage(response) ? response.body : body;
  const fields: Readonly<Record<string, unknown>> = isObject(body) ? body : { message: text };
  const { error = fields } = fields;
  const { code: given, message, details: found } = isObject(error) ? error : fields;
  const code = codeFrom(typeof error === 'string' ? error : given, redact);
  const all = Array.isArray(found) ? found : [];
  const details = all.slice(0, mostDetails).flatMap((detail) => detailFrom(detail, redact));
  return {
    code,
    message: textFrom(typeof error === 'string' && !code ? error : message, redact),
    details,
    detailCount: details.length + Math.max(0, all.length - mostDetails),
  };
}

/** Words in a code or a message that mean the address and not a record. */
const wordOfAddress = /(^|[^a-z])(endpoint|method|page|path|route|url)([^a-z]|$)/i;

/** How several routers name a method and an address that they do not know. */
const wordsOfRouter = /cannot (get|post|put|patch|delete) /i;

/** A word for what the service has by id or by phone. */
const wordOfRecord = /(^|[^a-z])(contact|phone|subscription|template|webhook)s?([^a-z]|$)/i;

/**
 * What is missing according to a 404. `record`: the service's own code says so. `unsaid`: the body is empty, or JSON without
 * such a code that names a record, as in "Contact not found". `address`: anything else, which routers, proxies, gateways
 * and other applications respond with, such as "Not Found".
 */
export function subjectOf404(
  response: TransportResponse,
  { code, message = '' }: Pick<ErrorContent, 'code' | 'message'>,
): 'record' | 'address' | 'unsaid' {
  if (/^\s*(null)?\s*$/.test(response.body)) return 'unsaid';
  if (!isObject(parseJson(response.body))) return 'address';
  const isOwn = code !== undefined && /^[a-z\d_]+$/.test(code);
  const text = isOwn ? `${code} ${message}`.replaceAll('_', ' ') : response.body;
  if (wordOfAddress.test(text) || wordsOfRouter.test(text)) return 'address';
  if (isOwn) return 'record';
  return wordOfRecord.test(text) || /^\s*\{\s*\}\s*$/.test(text) ? 'unsaid' : 'address';
}

/** Returns a code only if it looks like one: ten digits, for example, may be a phone number. */
function codeFrom(code: unknown, redact: Redact): string | undefined {
  if (typeof code !== 'string' || !/^[A-Za-z](?!.*\d{10})[\w.-]{0,63}$/.test(code)) return undefined;
  return redact(code) === code ? code : undefined;
}

function textFrom(text: unknown, redact: Redact): string | undefined {
  return typeof text === 'string' ? excerpt(text, longestMessage, redact) || undefined : undefined;
}

function detailFrom(detail: unknown, redact: Redact): readonly FieldProblem[] {
  const { field, message } = isObject(detail) ? detail : {};
  if (typeof field !== 'string' || typeof message !== 'string') return [];
  return [
    { field: excerpt(field, longestMessage, redact), message: excerpt(message, longestMessage, redact) },
  ];
}

/** The beginning of an untrusted text, redacted. */
function excerpt(text: string, longest: number, redact: Redact): string {
  // Redact before cutting: the redactor does not recognise half of a key.
  const redacted = redact(text.slice(0, 7 * longest)).trim();
  return redacted.length > longest ? `${redacted.slice(0, longest)}…` : redacted;
}
