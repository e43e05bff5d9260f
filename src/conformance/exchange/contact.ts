import { operations } from '../../contract/operations.js';
import { fieldOf, isObject, type JsonObject } from './json.js';
import { type Answer, describe, isSuccess, type Outcome } from './outcome.js';

/** A contact as an answer shows it. Its fields may have any type. */
export interface SeenContact {
  readonly id: unknown;
  readonly properties: JsonObject | undefined;
}

const { envelopes } = envelopesOf(operations.contacts.find.result);

function envelopesOf(result: typeof operations.contacts.find.result): {
  readonly envelopes: readonly string[];
} {
  return result.kind === 'nothing' ? { envelopes: [] } : result;
}

/** The contact in an answer, bare or under one of the names that services put it under. */
export function contactIn(outcome: Outcome): SeenContact | undefined {
  if (outcome.kind !== 'answer') return undefined;
  const { json } = outcome;
  const contact = [json, ...envelopes.map((name) => fieldOf(json, name))].find(
    (value) => fieldOf(value, 'id') !== undefined || isObject(fieldOf(value, 'properties')),
  );
  if (contact === undefined) return undefined;
  const properties = fieldOf(contact, 'properties');
  return { id: fieldOf(contact, 'id'), properties: isObject(properties) ? properties : undefined };
}

/** The id of the contact in a successful answer, fit for a path. */
export function contactIdIn(outcome: Outcome): string | undefined {
  return isSuccess(outcome) ? usableId(contactIn(outcome)?.id) : undefined;
}

/** An id that can be a segment of a path; a dot segment would lead to another path. */
export function usableId(id: unknown): string | undefined {
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && !/^\.{0,2}$/.test(text) ? text : undefined;
}

/** The status of a successful answer, and where in its body the contact is, which the document does not show. */
export function describeContact(outcome: Outcome): string {
  if (!isSuccess(outcome)) return describe(outcome);
  const place = placeOfContact(outcome);
  return place === undefined ? describe(outcome) : `${outcome.status}, ${place}`;
}

function placeOfContact(answer: Answer): string | undefined {
  if (contactIn(answer) === undefined) return undefined;
  const { json } = answer;
  if (isObject(json) && ('id' in json || 'properties' in json)) return 'the contact itself';
  return `the contact under ${envelopes.find((name) => isObject(fieldOf(json, name)))}`;
}
