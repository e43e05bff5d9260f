import { isObject } from '../../foundation/is-object.js';
import { fieldOf, isList, isRecord, partOf } from './body.js';
import { isSuccess, type Outcome, type ReceivedResponse } from './outcome.js';

/** The status, the error's code if the body has one, and the shape of the body, without any value. */
export function describe(outcome: Outcome): string {
  const status = describeStatus(outcome);
  return outcome.kind === 'response' ? `${status}, ${describeBody(outcome)}` : status;
}

/** The status, and the error's code if the body has one, in any of the usual fields. */
export function describeStatus(outcome: Outcome): string {
  if (outcome.kind === 'not_requested') return `no request: ${outcome.seen}`;
  if (outcome.kind === 'no_response') return `no response: ${outcome.reason}`;
  const { status, json } = outcome;
  const error = fieldOf(json, 'error');
  const codes = [fieldOf(error, 'code'), fieldOf(json, 'code'), error];
  const code = codes.find((value) => typeof value === 'string');
  return code === undefined ? String(status) : `${status} ${code.slice(0, 60)}`;
}

function describeBody({ text, json, headers, cut }: ReceivedResponse): string {
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
export function describeContact(outcome: Outcome): string {
  const contact = partOf(outcome, isRecord);
  if (!isSuccess(outcome) || contact === undefined) return describe(outcome);
  return `${outcome.status}, the contact ${contact.name === undefined ? 'itself' : `under ${contact.name}`}`;
}

/** The status of a successful response, and where in its body the list is. */
export function describeList(outcome: Outcome): string {
  const list = partOf(outcome, isList);
  if (!isSuccess(outcome) || list === undefined) return describe(outcome);
  return `${outcome.status}, ${list.name === undefined ? 'a bare array' : `an array under ${list.name}`}`;
}
