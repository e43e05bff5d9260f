import type { AnyOperation } from '../../contract/operation.js';
import { operations } from '../../contract/operations.js';
import { fieldOf, isObject } from './json.js';
import { describe, isSuccess, type Outcome } from './outcome.js';

/** The list in a successful response: the body itself, or one of its fields. `undefined` if the response has no list. */
export function listIn(
  operation: Pick<AnyOperation, 'result'>,
  outcome: Outcome,
): readonly unknown[] | undefined {
  const place = placeOfList(operation, outcome);
  return place?.list;
}

/** Whether a response lists the subscription with this id. `undefined` if the response has no list. */
export function lists(listed: Outcome, id: string): boolean | undefined {
  const entries = listIn(operations.webhooks.list, listed);
  if (entries !== undefined) return entries.some((entry) => String(fieldOf(entry, 'id')) === id);
  return isSuccess(listed) && listed.text.includes(id) ? true : undefined;
}

/** The status of a successful response, and where in its body the list is. The document does not show that. */
export function describeList(operation: Pick<AnyOperation, 'result'>, outcome: Outcome): string {
  const place = placeOfList(operation, outcome);
  if (place === undefined || outcome.kind !== 'response') return describe(outcome);
  return `${outcome.status}, ${place.name === undefined ? 'a bare array' : `an array under ${place.name}`}`;
}

function placeOfList({ result }: Pick<AnyOperation, 'result'>, outcome: Outcome) {
  if (!isSuccess(outcome)) return undefined;
  const { json } = outcome;
  if (Array.isArray(json)) return { name: undefined, list: json };
  const envelopes = result.kind === 'list' ? result.envelopes : [];
  const others = isObject(json) ? Object.keys(json) : [];
  for (const name of [...envelopes, ...others]) {
    const list = fieldOf(json, name);
    if (Array.isArray(list)) return { name: name.slice(0, 40), list };
  }
  return undefined;
}
