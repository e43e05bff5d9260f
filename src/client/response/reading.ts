import type { OperationRequest, ResultShape } from '../../contract/operation.js';
import { validate } from '../../contract/schema.js';
import { isObject } from '../../foundation/is-object.js';
import { type FieldProblem, listProblems } from '../../foundation/options.js';
import { createWarnings } from '../../foundation/runtime.js';
import type { CallableOperation } from '../request/request.js';
import type { TransportResponse } from '../transport/transport.js';

/** The result of a success, and the problems with its shape. */
export interface Reading<Result> {
  readonly value: Result;
  readonly problems: readonly FieldProblem[];
}

/** What makes the body of a success unusable. */
export interface UnusableReading {
  readonly unusable: readonly FieldProblem[];
}

type AnyReading<Result> = Reading<Result> | UnusableReading;

/**
 * Reads the body of a success leniently: the service does not document many of them, and a request that was carried out
 * must not look failed because of the shape of its response.
 */
export function readResponse<Result>(
  shape: CallableOperation<OperationRequest, Result>['result'],
  response: TransportResponse,
  maxBytes?: number,
): AnyReading<Result> {
  if (shape.kind === 'nothing' || (shape.kind === 'anything' && response.body === '')) return absent([]);
  if (response.truncated) return unusable(`is longer than maxResponseBytes, ${maxBytes}`);
  const body = parseJson(response.body);
  // Not the service: a page of a proxy, or of a web application at a wrong base URL.
  if (body === undefined && isPage(response)) return unusable('must be JSON, not a page');
  if (shape.kind === 'anything') return body === undefined ? unusable('must be JSON') : drifted(body, []);
  return shape.kind === 'list' ? readList(shape, body) : readRecord(shape, body);
}

/** Whether a body that is not JSON is an HTML or XML page. */
export function isPage({ headers, body }: TransportResponse): boolean {
  return /^\s*</.test(body) || (/\S/.test(body) && headers.get('content-type')?.includes('html') === true);
}

/** Whether a body begins like JSON but is invalid: it was truncated or garbled in transit. */
export function isGarbled({ body }: TransportResponse): boolean {
  return /^\s*[[{]/.test(body) && parseJson(body) === undefined;
}

/** Parses JSON; `undefined` for invalid JSON, which no JSON text can represent. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readList<Result>(
  { schema, envelopes }: Extract<ResultShape<Result>, { kind: 'list' }>,
  body: unknown,
): AnyReading<Result> {
  const accept = (list: unknown, drift: readonly FieldProblem[]) => {
    const read = validate(schema, list);
    return read.valid
      ? { value: read.value, problems: drift }
      : drifted<Result>(list, [...drift, ...read.problems]);
  };
  if (Array.isArray(body)) return accept(body, []);
  if (!isObject(body)) return unusable('must be a JSON object or array');
  const known = envelopes.map((name) => body[name]).find(Array.isArray);
  if (known) return accept(known, []);
  // The service does not document the name of the list, so accept a sole array under any name.
  const [sole, ...others] = Object.entries(body).filter(([, value]) => Array.isArray(value));
  if (!sole || others.length > 0) return unusable(`must hold an array under ${envelopes.join(' or ')}`);
  return accept(sole[1], [{ field: sole[0], message: 'is not where a list was expected' }]);
}

function readRecord<Result>(
  { schema, envelopes, mayBeAbsent, confirmedBy }: Extract<ResultShape<Result>, { kind: 'record' }>,
  body: unknown,
): AnyReading<Result> {
  const whole = isObject(body) ? body : {};
  const enveloped = envelopes.map((name) => whole[name]).filter(isObject);
  for (const record of [whole, ...enveloped]) {
    const read = validate(schema, record);
    if (read.valid) return { value: read.value, problems: contradictions(confirmedBy, record) };
  }
  const record = enveloped[0] ?? whole;
  const read = validate(schema, record);
  const problems = isObject(body) && !read.valid ? read.problems : unusable('must be a JSON object').unusable;
  // The service does not document this body. Return `undefined`, because the type of another shape would be wrong.
  if (mayBeAbsent) return absent(body === undefined ? [] : problems);
  // A record without an id is useless for other calls. The request was carried out, so nothing is made up.
  if (confirmedBy === undefined && !/^(string|number)$/.test(typeof record.id)) return { unusable: problems };
  return drifted(record, problems);
}

/** A contradiction between the body and the status, such as `{ success: false }` with 200. */
function contradictions(field: string | undefined, record: object): readonly FieldProblem[] {
  if (field === undefined || Reflect.get(record, field) === true) return [];
  return [{ field, message: 'must be true, as the status says' }];
}

/** The only place that returns a value which does not match its type; `problems` say how. */
function drifted<Result>(value: unknown, problems: readonly FieldProblem[]): Reading<Result> {
  return { value: value as Result, problems };
}

/** No result. Only operations whose result may be `undefined` use it; the table of operations ensures that. */
export function absent<Result>(problems: readonly FieldProblem[]): Reading<Result> {
  return drifted(undefined, problems);
}

function unusable(message: string): UnusableReading {
  return { unusable: [{ field: '', message }] };
}

/** A successful response of an unexpected shape. The call still resolved. */
export interface Drift {
  /** The resource and the verb of the call, such as `contacts.upsert`. */
  readonly operation: string;
  /** The HTTP status of the response. */
  readonly status: number;
  /** The names of the fields and what was expected, never a value. */
  readonly problems: readonly FieldProblem[];
}

/** The default of `onDrift`: a process warning, once per operation. */
export function createDriftWarner(): (drift: Drift) => void {
  const warnOnce = createWarnings('MessagingAutomationDrift');
  return ({ operation, problems }) =>
    warnOnce(
      operation,
      `${operation} returned a body that differs from the documented shape: ${listProblems(problems, 'the body')}. ` +
        'The call succeeded; pass onDrift to handle this, or validation: "off" to ignore it.',
    );
}
