import { type Schema, validate } from '../../contract/schema.js';

/**
 * Checks a value that a program passes, and returns it.
 *
 * @param subject The name of the value in the error, such as `The template`.
 * @throws TypeError that names each invalid field.
 */
export function checked<T>(schema: Schema<T>, subject: string, value: unknown): T {
  const validation = validate(schema, value);
  if (validation.valid) return validation.value;
  const problems = validation.problems.map(({ field, message }) => `${field || 'it'} ${message}`);
  throw new TypeError(`${subject} is invalid: ${problems.join('; ')}.`);
}
