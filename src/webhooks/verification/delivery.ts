import type { WebhookEvent } from '../../contract/delivery.js';
import { type FieldProblem, listProblems } from '../../foundation/field-problem.js';
import { problemsOfDelivery } from './delivery-shape.js';
import type { WebhookDrift } from './drift.js';
import { WebhookVerificationError } from './verification-error.js';

/**
 * Reads the body of a verified delivery, and lists its differences from the service's document.
 *
 * @throws WebhookVerificationError if the body is not a delivery.
 */
export function readDelivery(body: string | Uint8Array): WebhookDrift {
  const delivery = parseJson(decode(body));
  const problems = problemsOfDelivery(delivery);
  const fatal = problems.filter(isEssential);
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

/** The receiver needs these fields to choose the handler, to check the age, and to pass the data. */
function isEssential({ field }: FieldProblem): boolean {
  return ['', 'event', 'timestamp', 'data'].includes(field);
}

/** The error for an authentic body without the documented shape. */
export function unexpectedShape(problems: readonly FieldProblem[], remedy: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'unexpected_shape',
    `The delivery is authentic, but does not have the documented shape: ${listProblems(problems, 'the body')}. ${remedy}`,
  );
}
