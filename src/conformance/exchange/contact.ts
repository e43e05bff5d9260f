import { operations } from '../../contract/operations.js';
import { fieldOf, isObject, type JsonObject } from './json.js';
import { describe, isSuccess, type Outcome, type ReceivedResponse } from './outcome.js';

/** A contact in a response. Its fields may have any type. */
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

/** The contact in a response: the body itself, or a field with one of the usual names. */
export function contactIn(outcome: Outcome): SeenContact | undefined {
  if (outcome.kind !== 'response') return undefined;
  const { json } = outcome;
  const contact = [json, ...envelopes.map((name) => fieldOf(json, name))].find(
    (value) => fieldOf(value, 'id') !== undefined || isObject(fieldOf(value, 'properties')),
  );
  if (contact === undefined) return undefined;
  const properties = fieldOf(contact, 'properties');
  return { id: fieldOf(contact, 'id'), properties: isObject(properties) ? properties : undefined };
}

/** The id of the contact in a successful response, if it can be a segment of a path. */
export function contactIdIn(outcome: Outcome): string | undefined {
  return isSuccess(outcome) ? usableId(contactIn(outcome)?.id) : undefined;
}

/** An id that can be a segment of a path. A dot segment would change the path. */
export function usableId(id: unknown): string | undefined {
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && !/^\.{0,2}$/.test(text) ? text : undefined;
}

/** The status of a successful response, and where in its body the contact is. The document does not show that. */
export function describeContact(outcome: Outcome): string {
  if (!isSuccess(outcome)) return describe(outcome);
  const place = placeOfContact(outcome);
  return place === undefined ? describe(outcome) : `${outcome.status}, ${place}`;
}

function placeOfContact(response: ReceivedResponse): string | undefined {
  if (contactIn(response) === undefined) return undefined;
  const { json } = response;
  if (isObject(json) && ('id' in json || 'properties' in json)) return 'the contact itself';
  return `the contact under ${envelopes.find((name) => isObject(fieldOf(json, name)))}`;
}
