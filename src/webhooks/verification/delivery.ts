import type { WebhookEvent } from '../../contract/delivery.js';
import { type FieldProblem, listProblems } from '../../foundation/field-problem.js';
import { problemsOfDelivery } from './delivery-shape.js';
import type { WebhookDrift } from './drift.js';
import { WebhookVerificationError } from './verification-error.js';

/**
 * Reads the body of a delivery whose signature was verified, and lists what is not as documented. Throws a
 * WebhookVerificationError for a body that is no delivery at all.
 */
export function readDelivery(body: string | Uint8Array): WebhookDrift {
  const delivery = parseJson(decode(body));
  const problems = problemsOfDelivery(delivery);
  const fatal = problems.filter(isEssential);
  if (fatal.length > 0) throw unexpectedShape(fatal, 'Check that the secret signs deliveries only.');
  // The essentials hold. The problems go with the event, so that its type is not taken at its word.
  return { event: delivery as WebhookEvent, problems };
}

let decoder: TextDecoder | undefined;

/** Bytes that are not UTF-8 are refused rather than patched: different bytes must not read as one text. */
function decode(body: string | Uint8Array): string {
  // A leading byte order mark was hashed, and is no part of the JSON. The decoder leaves it out.
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
 * Parses without own `__proto__` keys, which would become the prototype of whatever object a user merges them
 * into. They are left out instead of refused: a delivery may quote what a contact wrote, and no contact
 * should be able to make deliveries fail.
 */
function parseJson(text: string): unknown {
  // Spelled in full or with an escape of an ASCII character: JSON has no third way to write the key.
  const suspicious = text.includes('__proto__') || text.includes('\\u00');
  try {
    return JSON.parse(text, suspicious ? withoutPrototypeKeys : undefined);
  } catch {
    // The parser's own error quotes the body, so it is not even kept as the cause.
    throw new WebhookVerificationError(
      'invalid_json',
      'The delivery is authentic, but its body is not JSON. Check that the secret signs nothing but deliveries.',
    );
  }
}

function withoutPrototypeKeys(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/** Without these there is nothing to dispatch on, to judge the age of, or to hand over. */
function isEssential({ field }: FieldProblem): boolean {
  return ['', 'event', 'timestamp', 'data'].includes(field);
}

/** The error for an authentic body that is not as documented. */
export function unexpectedShape(problems: readonly FieldProblem[], remedy: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'unexpected_shape',
    `The delivery is authentic, but does not have the documented shape: ${listProblems(problems, 'the body')}. ${remedy}`,
  );
}
