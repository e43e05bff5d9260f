import type { Redact } from '../../contract/redaction.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import type { TransportResponse } from '../transport/transport.js';
import { isPage, parseJson } from './reading.js';

/** The parsed body of an error. The service documents codes, but no body. */
export interface ErrorContent {
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly details: readonly FieldProblem[];
  /** The number of details; `details` may contain fewer. */
  readonly detailCount: number;
}

const longestMessage = 300;
const mostDetails = 100;
const nothing: ErrorContent = { code: undefined, message: undefined, details: [], detailCount: 0 };

/**
 * Parses `{ error: { code, message, details } }`, `{ code, message }`, `{ error: "code" }` and plain text. It redacts
 * everything, because the body may repeat what was sent.
 */
export function readErrorBody(answer: TransportResponse, redact: Redact): ErrorContent {
  const body = parseJson(answer.body);
  if (body === undefined && isPage(answer)) return nothing;
  if (typeof body !== 'object' || body === null)
    return { ...nothing, message: messageFrom(body === undefined ? answer.body : body, redact) };
  const { error = body }: { error?: unknown } = body;
  if (typeof error === 'string') {
    const code = codeFrom(error, redact);
    return { ...contentOf(body, redact), code, ...(!code && { message: messageFrom(error, redact) }) };
  }
  return typeof error === 'object' && error !== null ? contentOf(error, redact) : nothing;
}

/** Words in a code or a message that mean the address and not a record. */
const wordOfAddress = /(^|[^a-z])(endpoint|method|page|path|route|url)([^a-z]|$)/i;

/**
 * What is missing according to a 404. A 404 of the service itself has a lower-case code that does not mention an address. Any
 * other text comes from a proxy, a gateway or another application. `unsaid` for an empty body.
 */
export function subjectOf404(
  answer: TransportResponse,
  { code, message = '' }: Pick<ErrorContent, 'code' | 'message'>,
): 'record' | 'address' | 'unsaid' {
  if (/^\s*(\{\}|null)?\s*$/.test(answer.body)) return 'unsaid';
  const isOwn =
    code !== undefined &&
    /^[a-z\d_]+$/.test(code) &&
    !wordOfAddress.test(`${code} ${message}`.replaceAll('_', ' '));
  return isOwn ? 'record' : 'address';
}

function contentOf(error: object, redact: Redact): ErrorContent {
  const { code, message, details }: { code?: unknown; message?: unknown; details?: unknown } = error;
  return {
    code: codeFrom(code, redact),
    message: messageFrom(message, redact),
    ...detailsFrom(details, redact),
  };
}

/** Returns a code only if it looks like one: ten digits, for example, may be a phone number. */
function codeFrom(code: unknown, redact: Redact): string | undefined {
  if (typeof code !== 'string' || !/^[A-Za-z](?!.*\d{10})[\w.-]{0,63}$/.test(code)) return undefined;
  return redact(code) === code ? code : undefined;
}

function messageFrom(message: unknown, redact: Redact): string | undefined {
  return typeof message === 'string' ? excerpt(message, longestMessage, redact) || undefined : undefined;
}

function detailsFrom(details: unknown, redact: Redact): Pick<ErrorContent, 'details' | 'detailCount'> {
  if (!Array.isArray(details)) return { details: [], detailCount: 0 };
  const read = details.slice(0, mostDetails).flatMap((detail) => detailFrom(detail, redact));
  return { details: read, detailCount: read.length + Math.max(0, details.length - mostDetails) };
}

function detailFrom(detail: unknown, redact: Redact): readonly FieldProblem[] {
  if (typeof detail !== 'object' || detail === null) return [];
  const { field, message }: { field?: unknown; message?: unknown } = detail;
  if (typeof field !== 'string' || typeof message !== 'string') return [];
  return [
    { field: excerpt(field, longestMessage, redact), message: excerpt(message, longestMessage, redact) },
  ];
}

/** The beginning of an untrusted text, redacted. */
export function excerpt(text: string, longest: number, redact: Redact): string {
  // Redact before cutting: the redactor does not recognise half of a key.
  const redacted = redact(text.slice(0, 7 * longest)).trim();
  return redacted.length > longest ? `${redacted.slice(0, longest)}…` : redacted;
}
