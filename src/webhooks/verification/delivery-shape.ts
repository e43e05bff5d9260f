import { type DeliveryFieldKind, deliveryDataFields, deliveryFields } from '../../contract/delivery.js';
import { isTimestamp } from '../../contract/timestamp.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { isObject } from '../../foundation/is-object.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Lists all differences between a delivery's body and the service's document. */
export function problemsOfDelivery(delivery: unknown): readonly FieldProblem[] {
  if (!isObject(delivery)) return [{ field: '', message: 'must be an object' }];
  const problems: FieldProblem[] = [];
  addProblems(problems, delivery, deliveryFields);
  const { event, data } = delivery;
  if (isKnownType(event) && isObject(data)) addProblems(problems, data, deliveryDataFields[event], 'data.');
  return problems;
}

/** Whether this package knows the event type. */
export function isKnownType(type: unknown): type is WebhookEventType {
  return webhookEventTypes.some((known) => known === type);
}

function addProblems(
  problems: FieldProblem[],
  object: JsonObject,
  fields: Readonly<Record<string, DeliveryFieldKind>>,
  path = '',
): void {
  // Loop with `in`, because a new list of entries for each delivery takes longer than the checks.
  for (const name in fields) {
    const kind = fields[name];
    const value = object[name];
    if (kind === undefined || isOfKind(kind, value)) continue;
    const required = value === undefined ? 'is required and ' : '';
    problems.push({ field: path + name, message: `${required}must be ${wanted[kind]}` });
  }
}

const wanted = {
  string: 'a string',
  'optional string': 'a string',
  timestamp: 'an ISO 8601 timestamp',
  object: 'an object',
};

function isOfKind(kind: DeliveryFieldKind, value: unknown): boolean {
  switch (kind) {
    case 'string':
      return typeof value === 'string';
    case 'optional string':
      return value === undefined || typeof value === 'string';
    case 'timestamp':
      return typeof value === 'string' && isTimestamp(value);
    case 'object':
      return isObject(value);
  }
}
