import type { OperationRequest, ResultShape } from '../../contract/operation.js';
import { type Schema, validate } from '../../contract/schema.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { isObject } from '../../foundation/is-object.js';
import { problemsOf } from '../errors/problems.js';
import type { CallableOperation } from '../request/callable-operation.js';
import type { TransportResponse } from '../transport/transport.js';

/** A usable success: its value, and the problems with its shape. */
export interface UsableReading<Result> {
  readonly usable: true;
  readonly value: Result;
  readonly problems: readonly FieldProblem[];
}

/** The result of reading a success: usable or not. */
export type Reading<Result> =
  | UsableReading<Result>
  | { readonly usable: false; readonly problems: readonly FieldProblem[] };

/**
 * Reads the body of a success leniently: the service does not document many of them, and a request that was carried out
 * must not look failed because of the shape of its response.
 */
export function readAnswer<Result>(
  shape: CallableOperation<OperationRequest, Result>['result'],
  answer: TransportResponse,
  maxBytes?: number,
): Reading<Result> {
  if (shape.kind === 'nothing' || (shape.kind === 'anything' && answer.body === '')) return absent([]);
  if (answer.truncated) return unusable(`is longer than maxResponseBytes, ${maxBytes}`);
  const body = parseJson(answer.body);
  // Not the service: a page of a proxy, or of a web application at a wrong base URL.
  if (body === undefined && isPage(answer)) return unusable('must be JSON, not a page');
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

type ListShape<Result> = Extract<ResultShape<Result>, { kind: 'list' }>;
type RecordShape<Result> = Extract<ResultShape<Result>, { kind: 'record' }>;

function readList<Result>(shape: ListShape<Result>, body: unknown): Reading<Result> {
  if (Array.isArray(body)) return accept(shape.schema, body);
  if (!isObject(body)) return unusable('must be a JSON object or array');
  const known = shape.envelopes.map((name) => body[name]).find(Array.isArray);
  if (known) return accept(shape.schema, known);
  // The service does not document the name of the list, so accept a sole array under any name.
  const [sole, ...others] = Object.entries(body).filter(([, value]) => Array.isArray(value));
  if (!sole || others.length > 0) return unusable(`must hold an array under ${shape.envelopes.join(' or ')}`);
  return accept(shape.schema, sole[1], [{ field: sole[0], message: 'is not where a list was expected' }]);
}

function readRecord<Result>(shape: RecordShape<Result>, body: unknown): Reading<Result> {
  if (!isObject(body)) return readWithoutRecord(shape, body);
  const enveloped = shape.envelopes.map((name) => body[name]).filter(isObject);
  for (const candidate of [body, ...enveloped]) {
    const validation = validate(shape.schema, candidate);
    if (validation.valid)
      return {
        usable: true,
        value: validation.value,
        problems: contradictions(shape.confirmedBy, candidate),
      };
  }
  const record = enveloped[0] ?? body;
  const problems = problemsOf(shape.schema, record);
  // The service does not document this body. Return `undefined`, because the type of another shape would be wrong.
  if (shape.mayBeAbsent) return absent(problems);
  // A record without an id is useless for other calls.
  if (shape.confirmedBy === undefined && !/^(string|number)$/.test(typeof record.id))
    return { usable: false, problems };
  return drifted(record, problems);
}

/** A contradiction between the body and the status, such as `{ success: false }` with 200. */
function contradictions(field: string | undefined, record: object): readonly FieldProblem[] {
  if (field === undefined || Reflect.get(record, field) === true) return [];
  return [{ field, message: 'must be true, as the status says' }];
}

function readWithoutRecord<Result>(shape: RecordShape<Result>, body: unknown): Reading<Result> {
  const problems = [{ field: '', message: 'must be a JSON object' }];
  if (shape.mayBeAbsent) return absent(body === undefined ? [] : problems);
  // The request was carried out, but the body does not say so, and nothing is made up.
  return shape.confirmedBy === undefined ? { usable: false, problems } : drifted({}, problems);
}

function accept<Result>(
  schema: Schema<Result>,
  value: unknown,
  drift: readonly FieldProblem[] = [],
): Reading<Result> {
  const validation = validate(schema, value);
  if (validation.valid) return { usable: true, value: validation.value, problems: drift };
  return drifted(value, [...drift, ...problemsOf(schema, value)]);
}

/** The only place that returns a value which does not match its type; `problems` say how. */
function drifted<Result>(value: unknown, problems: readonly FieldProblem[]): Reading<Result> {
  return { usable: true, value: value as Result, problems };
}

/** No result. Only operations whose result may be `undefined` use it; the table of operations ensures that. */
export function absent<Result>(problems: readonly FieldProblem[]): UsableReading<Result> {
  return { usable: true, value: undefined as Result, problems };
}

function unusable(message: string): Reading<never> {
  return { usable: false, problems: [{ field: '', message }] };
}
