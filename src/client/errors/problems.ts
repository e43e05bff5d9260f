import type { Redact } from '../../contract/redaction.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { isObject } from '../../foundation/is-object.js';

/**
 * The first hundred problems, without what the user's data may have put into the names of fields: a property called
 * after a phone.
 */
export function redactProblems(problems: readonly FieldProblem[], redact: Redact): readonly FieldProblem[] {
  return problems
    .slice(0, 100)
    .map(({ field, message }) => ({ field: redact(field).slice(0, 300), message }));
}

/**
 * Copies an error that the user's own code threw, and redacts secrets in its name, message and stack, because that code
 * sees URLs, bodies and keys.
 *
 * @param redact Removes keys, secrets and phone numbers from a text.
 */
export function cleanCopy(thrown: unknown, redact: (text: string) => string): Error {
  if (!isObject(thrown) || typeof thrown.message !== 'string')
    return new Error('It threw a value that is not an error.');
  const copy = new Error(redact(thrown.message));
  if (typeof thrown.name === 'string') copy.name = redact(thrown.name);
  if (typeof thrown.stack === 'string') copy.stack = redact(thrown.stack);
  return copy;
}
