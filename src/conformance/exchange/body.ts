import { operationList } from '../../contract/operations.js';
import { isObject } from '../../foundation/is-object.js';
import { type DeploymentResponse, type ExchangeOutcome, isSuccess } from './outcome.js';

/** A JSON object whose fields may have any type. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An own field of a value that may be an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A text as JSON. `undefined` if it is not JSON, or not a text. */
export function jsonFrom(read: () => string): unknown {
  try {
    return JSON.parse(read());
  } catch {
    return undefined;
  }
}

/** The names that the contract knows for the record or the list in a body. */
const envelopes = operationList.flatMap(({ result }) => (result.kind === 'nothing' ? [] : result.envelopes));

/**
 * The part of a body that is asked for, and where it is: the body itself, or one of its fields. The document does not show where a
 * record or a list is.
 */
function partOf<Part>(outcome: ExchangeOutcome, isPart: (value: unknown) => value is Part) {
  const json = outcome.kind === 'response' ? outcome.json : undefined;
  if (isPart(json)) return { part: json, name: undefined };
  for (const name of [...envelopes, ...Object.keys(isObject(json) ? json : {})]) {
    const part = fieldOf(json, name);
    if (isPart(part)) return { part, name: name.slice(0, 40) };
  }
  return undefined;
}

const isRecord = (value: unknown): value is JsonObject =>
  fieldOf(value, 'id') !== undefined || isObject(fieldOf(value, 'properties'));

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The contact in a response. Its fields may have any type. */
export function contactIn(outcome: ExchangeOutcome) {
  const contact = partOf(outcome, isRecord)?.part;
  if (contact === undefined) return undefined;
  const properties = fieldOf(contact, 'properties');
  return { id: fieldOf(contact, 'id'), properties: isObject(properties) ? properties : undefined };
}

/** The id of the contact or the subscription in a successful response, if it can be a segment of a path. */
export function idIn(outcome: ExchangeOutcome): string | undefined {
  return isSuccess(outcome) ? usableId(partOf(outcome, isRecord)?.part) : undefined;
}

/** The id of a record, if it can be a segment of a path. A dot segment would change the path. */
export function usableId(record: unknown): string | undefined {
  const id = fieldOf(record, 'id');
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && !/^\.{0,2}$/.test(text) ? text : undefined;
}

/** The list in a successful response. `undefined` if the response has none. */
export function listIn(outcome: ExchangeOutcome): readonly unknown[] | undefined {
  return isSuccess(outcome) ? partOf(outcome, isList)?.part : undefined;
}

/** Whether a response lists the subscription with this id. `undefined` if the response has no list. */
export function lists(listed: ExchangeOutcome, id: string): boolean | undefined {
  const entries = listIn(listed);
  if (entries !== undefined) return entries.some((entry) => String(fieldOf(entry, 'id')) === id);
  return isSuccess(listed) && listed.text.includes(id) ? true : undefined;
}

/** The status, the error's code if the body has one, and the shape of the body, without any value. */
export function describe(outcome: ExchangeOutcome): string {
  const status = describeStatus(outcome);
  return outcome.kind === 'response' ? `${status}, ${describeBody(outcome)}` : status;
}

/** The status, and the error's code if the body has one, in any of the usual fields. */
export function describeStatus(outcome: ExchangeOutcome): string {
  if (outcome.kind === 'not_requested') return `no request: ${outcome.seen}`;
  if (outcome.kind === 'no_response') return `no response: ${outcome.reason}`;
  const { status, json } = outcome;
  const error = fieldOf(json, 'error');
  const codes = [fieldOf(error, 'code'), fieldOf(json, 'code'), error];
  const code = codes.find((value) => typeof value === 'string');
  return code === undefined ? String(status) : `${status} ${code.slice(0, 60)}`;
}

function describeBody({ text, json, headers, cut }: DeploymentResponse): string {
  if (cut) return 'a body that is too long';
  if (text === '') return 'no body';
  if (json !== undefined) return shapeOf(json);
  const type = /^[\w./+-]{1,60}/.exec(headers.get('content-type') ?? '')?.[0];
  return `a body that is not JSON (${type ?? 'without a content type'})`;
}

const shownFields = 8;

/** The shape of a JSON value: the names of its fields, two levels deep. */
export function shapeOf(value: unknown, depth = 2): string {
  if (Array.isArray(value))
    return value.length === 0 ? '[]' : `[${value.length} × ${shapeOf(value[0], depth)}]`;
  if (!isObject(value)) return value === null ? 'null' : `a ${typeof value}`;
  if (depth === 0) return '{…}';
  const names = Object.keys(value);
  const fields = names.slice(0, shownFields).map((name) => {
    const label = name.slice(0, 40);
    return isObject(value[name]) || Array.isArray(value[name])
      ? `${label}: ${shapeOf(value[name], depth - 1)}`
      : label;
  });
  if (names.length > shownFields) fields.push('…');
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/** The status of a successful response, and where in its body the contact is. */
export function describeContact(outcome: ExchangeOutcome): string {
  const contact = partOf(outcome, isRecord);
  if (!isSuccess(outcome) || contact === undefined) return describe(outcome);
  return `${outcome.status}, the contact ${contact.name === undefined ? 'itself' : `under ${contact.name}`}`;
}

/** The status of a successful response, and where in its body the list is. */
export function describeList(outcome: ExchangeOutcome): string {
  const list = partOf(outcome, isList);
  if (!isSuccess(outcome) || list === undefined) return describe(outcome);
  return `${outcome.status}, ${list.name === undefined ? 'a bare array' : `an array under ${list.name}`}`;
}
