import type { OperationRequest, ResultShape } from '../../contract/operation.js';
import { type Schema, validate } from '../../contract/schema.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { isObject } from '../../foundation/is-object.js';
import { problemsOf } from '../errors/problems.js';
import type { CallableOperation } from '../request/callable-operation.js';
import type { TransportResponse } from '../transport/transport.js';

/** What a success says: a value, and whatever about it was not as expected. */
export interface UsableReading<Result> {
  readonly usable: true;
  readonly value: Result;
  readonly problems: readonly FieldProblem[];
}

/** What was made of a success: something to give, or nothing that could be used. */
export type Reading<Result> =
  | UsableReading<Result>
  | { readonly usable: false; readonly problems: readonly FieldProblem[] };

/**
 * Reads the body of a success, leniently: many of them are "not shown" in the document, and a request that
 * was carried out must not look failed for the shape of its answer.
 */
export function readAnswer<Result>(
  shape: CallableOperation<OperationRequest, Result>['result'],
  answer: TransportResponse,
  maxBytes?: number,
): Reading<Result> {
  if (shape.kind === 'nothing' || (shape.kind === 'anything' && answer.body === '')) return absent([]);
  if (answer.truncated) return unusable(`is longer than maxResponseBytes, ${maxBytes}`);
  const body = parseJson(answer.body);
  // Something else than the service answered: a proxy's page, or a web application at a wrong base URL.
  if (body === undefined && isPage(answer)) return unusable('must be JSON, and is a page');
  if (shape.kind === 'anything') return body === undefined ? unusable('must be JSON') : drifted(body, []);
  return shape.kind === 'list' ? readList(shape, body) : readRecord(shape, body);
}

/** Whether a body that is no JSON is a page, in HTML or XML. */
export function isPage({ headers, body }: TransportResponse): boolean {
  return /^\s*</.test(body) || (/\S/.test(body) && headers.get('content-type')?.includes('html') === true);
}

/** Whether a body begins as JSON does, and is none: it was cut short or garbled on its way. */
export function isGarbled({ body }: TransportResponse): boolean {
  return /^\s*[[{]/.test(body) && parseJson(body) === undefined;
}

/** A JSON text's value; `undefined` for what is none, which no JSON text stands for. */
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
  // The document shows no list, so its name may be any. A sole array can hardly be something else.
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
        problems: contradictions(shape.impliedByStatus, candidate),
      };
  }
  const record = enveloped[0] ?? body;
  const problems = problemsOf(shape.schema, record);
  // Where the document shows no body, one of another kind is as good as none, and none has an honest type.
  if (shape.mayBeAbsent) return absent(problems);
  // Without its id a record is of no use to any other call.
  if (!shape.impliedByStatus && !/^(string|number)$/.test(typeof record.id))
    return { usable: false, problems };
  return drifted({ ...shape.impliedByStatus, ...record }, problems);
}

/** Where a body says otherwise than its status, as `{ success: false }` with 200 does. */
function contradictions(implied: object | undefined, record: object): readonly FieldProblem[] {
  return Object.entries(implied ?? {})
    .filter(([field, value]) => Reflect.get(record, field) !== value)
    .map(([field, value]) => ({ field, message: `must be ${value}, as the status says` }));
}

function readWithoutRecord<Result>(shape: RecordShape<Result>, body: unknown): Reading<Result> {
  const problems = [{ field: '', message: 'must be a JSON object' }];
  if (shape.mayBeAbsent) return absent(body === undefined ? [] : problems);
  if (shape.impliedByStatus) return { usable: true, value: shape.impliedByStatus, problems };
  return { usable: false, problems };
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

/** The one place where a value goes out that is not all its type says; `problems` tell of it. */
function drifted<Result>(value: unknown, problems: readonly FieldProblem[]): Reading<Result> {
  return { usable: true, value: value as Result, problems };
}

/** No result. Only an operation that has `undefined` among its results comes here: the table sees to that. */
export function absent<Result>(problems: readonly FieldProblem[]): UsableReading<Result> {
  return { usable: true, value: undefined as Result, problems };
}

function unusable(message: string): Reading<never> {
  return { usable: false, problems: [{ field: '', message }] };
}
