import type { Redact } from '../../contract/redaction.js';
import { isObject } from '../../foundation/is-object.js';
import type { FieldProblem } from '../../foundation/options.js';
import type { TransportResponse } from '../transport/transport.js';
import { isPage, parseJson } from './reading.js';

/** The parsed body of an error. The service documents codes, but no body. */
export type ErrorContent = ReturnType<typeof readErrorBody>;

const longestMessage = 300;
const mostDetails = 100;

/**
 * Parses `{ error: { code, message, details } }`, `{ code, message }`, `{ error: "code" }` and plain text. It redacts
 * everything, because the body may repeat what was sent.
 */
export function readErrorBody(response: TransportResponse, redact: Redact) {
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
    // The number of details; `details` may contain fewer.
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
export function excerpt(text: string, longest: number, redact: Redact): string {
  // Redact before cutting: the redactor does not recognise half of a key.
  const redacted = redact(text.slice(0, 7 * longest)).trim();
  return redacted.length > longest ? `${redacted.slice(0, longest)}…` : redacted;
}

/** The service's id of the request, from one of the usual headers. */
export function requestIdOf(
  { headers }: Pick<TransportResponse, 'headers'>,
  redact: Redact,
): string | undefined {
  const id = headers.get('x-request-id') ?? headers.get('request-id');
  // Remove control characters, because messages and logs contain the id.
  return id ? redact(id.replace(/\p{Cc}/gu, '')).slice(0, 200) : undefined;
}
