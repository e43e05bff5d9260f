import { type DeliveryFieldKind, deliveryFields, type WebhookEvent } from '../../contract/delivery.js';
import { isTimestamp } from '../../contract/timestamp.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { factsOf } from '../../contract/webhook-events.js';
import { isObject } from '../../foundation/is-object.js';
import { type FieldProblem, listProblems } from '../../foundation/options.js';
import { createWarnings } from '../../foundation/runtime.js';
import { WebhookVerificationError } from './verification-error.js';

/** Lists all differences between a delivery's body and the service's document. */
export function problemsOfDelivery(delivery: unknown): readonly FieldProblem[] {
  if (!isObject(delivery)) return [{ field: '', message: 'must be an object' }];
  const problems: FieldProblem[] = [];
  addProblems(problems, delivery, deliveryFields);
  const { event, data } = delivery;
  if (isKnownType(event) && isObject(data)) addProblems(problems, data, factsOf(event).dataFields, 'data.');
  return problems;
}

/** Whether this package knows the event type. */
export function isKnownType(type: unknown): type is WebhookEventType {
  return webhookEventTypes.some((known) => known === type);
}

function addProblems(
  problems: FieldProblem[],
  object: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, DeliveryFieldKind>>,
  path = '',
): void {
  // Loop with `in`, because a new list of entries for each delivery takes longer than the checks.
  for (const name in fields) {
    const kind = fields[name];
    const value = object[name];
    if (kind === undefined || kinds[kind].fits(value)) continue;
    const required = value === undefined ? 'is required and ' : '';
    problems.push({ field: path + name, message: `${required}must be ${kinds[kind].wanted}` });
  }
}

const isString = (value: unknown): value is string => typeof value === 'string';

/** What a field must be: a test of its value, and the words that follow "must be". */
const kinds: Readonly<Record<DeliveryFieldKind, { fits(value: unknown): boolean; wanted: string }>> = {
  string: { fits: isString, wanted: 'a string' },
  'optional string': { fits: (value) => value === undefined || isString(value), wanted: 'a string' },
  timestamp: {
    fits: (value) => isString(value) && isTimestamp(value),
    wanted: 'an ISO 8601 timestamp',
  },
  object: { fits: isObject, wanted: 'an object' },
};

/** The receiver needs these fields to choose the handler, to check the age, and to pass the data. */
const essential: readonly string[] = ['', 'event', 'timestamp', 'data'];

/**
 * Reads the body of a verified delivery, and lists its differences from the service's document.
 *
 * @throws WebhookVerificationError if the body is not a delivery.
 */
export function readDelivery(body: string | Uint8Array): WebhookDrift {
  const delivery = parseJson(decode(body));
  const problems = problemsOfDelivery(delivery);
  const fatal = problems.filter(({ field }) => essential.includes(field));
  if (fatal.length > 0) throw unexpectedShape(fatal, 'Check that the secret signs deliveries only.');
  // The essential fields are valid. The caller gets the problems of the others with the event.
  return { event: delivery as WebhookEvent, problems };
}

let decoder: TextDecoder | undefined;

/** Refuses bytes that are not UTF-8. A lenient decoder would convert different bytes to the same text. */
function decode(body: string | Uint8Array): string {
  // A leading byte order mark was signed, but is not part of the JSON. The decoder removes it.
  if (typeof body === 'string') return body.startsWith('\uFEFF') ? body.slice(1) : body;
  decoder ??= new TextDecoder('utf-8', { fatal: true });
  try {
    return decoder.decode(body);
  } catch {
    throw new WebhookVerificationError(
      'invalid_encoding',
      'The delivery is authentic, but its body is not UTF-8, so it is not JSON either. Report it to the service.',
    );
  }
}

/**
 * Parses JSON and removes own `__proto__` keys, which would become the prototype of an object that a user merges them into. It does not
 * refuse them, because a delivery may quote a contact's text, and no contact may make deliveries fail.
 */
function parseJson(text: string): unknown {
  // JSON can write the key only in full or with an escape of an ASCII character.
  const suspicious = text.includes('__proto__') || text.includes('\\u00');
  try {
    return JSON.parse(text, suspicious ? withoutPrototypeKeys : undefined);
  } catch {
    // Without the parser's error as its cause, because that error quotes the body.
    throw new WebhookVerificationError(
      'invalid_json',
      'The delivery is authentic, but its body is not JSON. Check that the secret signs nothing but deliveries.',
    );
  }
}

function withoutPrototypeKeys(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/** The error for an authentic body without the documented shape. */
export function unexpectedShape(problems: readonly FieldProblem[], remedy: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'unexpected_shape',
    `The delivery is authentic, but does not have the documented shape: ${listProblems(problems, 'the body')}. ${remedy}`,
  );
}

/**
 * The differences between an authentic delivery and the shape in the service's document.
 */
export interface WebhookDrift {
  /** The delivery as it arrived. Its values may not have their declared types. */
  readonly event: WebhookEvent;
  /** The fields that differ, each with what it must be. They contain no values. */
  readonly problems: readonly FieldProblem[];
}

const warnOnce = /* @__PURE__ */ createWarnings('MessagingAutomationDrift');

/** The default `onDrift`: warns once per event type. */
export function warnOfDrift({ event, problems }: WebhookDrift): void {
  // Do not quote an unknown name, because it comes from outside, and there may be any number of them.
  const type = isKnownType(event.event) ? event.event : 'unknown type';
  warnOnce(
    type,
    `A delivery of ${type} differs from the shape that the document shows: ${listProblems(problems, 'the body')}. ` +
      'It was passed on nevertheless. Pass onDrift to handle this, or validation: "off" to ignore it.',
  );
}
