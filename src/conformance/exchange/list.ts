import type { AnyOperation } from '../../contract/operation.js';
import { operations } from '../../contract/operations.js';
import { fieldOf, isObject } from './json.js';
import { describe, isSuccess, type Outcome } from './outcome.js';

/** The list in a successful answer, bare or under a name; `undefined` where the answer shows no list. */
export function listIn(
  operation: Pick<AnyOperation, 'result'>,
  outcome: Outcome,
): readonly unknown[] | undefined {
  const place = placeOfList(operation, outcome);
  return place?.list;
}

/** Whether an answer lists the subscription with this id; `undefined` where it shows no list. */
export function lists(listed: Outcome, id: string): boolean | undefined {
  const entries = listIn(operations.webhooks.list, listed);
  if (entries !== undefined) return entries.some((entry) => String(fieldOf(entry, 'id')) === id);
  return isSuccess(listed) && listed.text.includes(id) ? true : undefined;
}

/** The status of a successful answer, and where in its body the list is, which the document does not show. */
export function describeList(operation: Pick<AnyOperation, 'result'>, outcome: Outcome): string {
  const place = placeOfList(operation, outcome);
  if (place === undefined || outcome.kind !== 'answer') return describe(outcome);
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
