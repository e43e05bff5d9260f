import type { Redact } from '../../contract/redaction.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import type { TransportResponse } from '../transport/transport.js';
import { isHtml, parseJson } from './reading.js';

/** What could be made out of an error's body. The document shows codes, and no body (§7). */
export interface ErrorContent {
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly details: readonly FieldProblem[];
}

const longestMessage = 300;
const nothing: ErrorContent = { code: undefined, message: undefined, details: [] };

/**
 * Reads `{ error: { code, message, details } }`, `{ code, message }`, `{ error: "code" }` and plain text. All
 * of it was written elsewhere and may repeat what was sent, so all of it is redacted.
 */
export function readErrorBody(answer: TransportResponse, redact: Redact): ErrorContent {
  if (isHtml(answer)) return nothing;
  const body = parseJson(answer.body);
  if (typeof body !== 'object' || body === null)
    return { ...nothing, message: messageFrom(body === undefined ? answer.body : body, redact) };
  const { error = body }: { error?: unknown } = body;
  if (typeof error === 'string') {
    const code = codeFrom(error, redact);
    return { ...contentOf(body, redact), code, ...(!code && { message: messageFrom(error, redact) }) };
  }
  return typeof error === 'object' && error !== null ? contentOf(error, redact) : nothing;
}

/**
 * Whether a 404 means that the record is not there, rather than that the address is wrong: then a page comes,
 * or a code that speaks of the path.
 */
export function saysRecordIsMissing(answer: TransportResponse, redact: Redact): boolean {
  if (answer.status !== 404 || isHtml(answer)) return false;
  const { code } = readErrorBody(answer, redact);
  return code === undefined || !/(^|_)(path|route|endpoint|method|url)(_|$)/.test(code);
}

function contentOf(error: object, redact: Redact): ErrorContent {
  const { code, message, details }: { code?: unknown; message?: unknown; details?: unknown } = error;
  return {
    code: codeFrom(code, redact),
    message: messageFrom(message, redact),
    details: Array.isArray(details) ? details.flatMap((detail) => detailFrom(detail, redact)) : [],
  };
}

/** Anything that does not look like a code might be anything at all, so it is none. */
function codeFrom(code: unknown, redact: Redact): string | undefined {
  if (typeof code !== 'string' || !/^[A-Za-z][\w.-]{0,63}$/.test(code)) return undefined;
  return redact(code) === code ? code : undefined;
}

function messageFrom(message: unknown, redact: Redact): string | undefined {
  if (typeof message !== 'string') return undefined;
  const text = redact(message.slice(0, 2_000)).trim();
  if (text === '') return undefined;
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}

function detailFrom(detail: unknown, redact: Redact): readonly FieldProblem[] {
  if (typeof detail !== 'object' || detail === null) return [];
  const { field, message }: { field?: unknown; message?: unknown } = detail;
  if (typeof field !== 'string' || typeof message !== 'string') return [];
  return [{ field: redact(field), message: redact(message) }];
}
