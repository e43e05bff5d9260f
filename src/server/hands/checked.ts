import { type Schema, validate } from '../../contract/schema.js';

/**
 * What a program gives, if it is right.
 *
 * @param subject What it is, as in `The template`.
 * @throws TypeError that names what is wrong with it.
 */
export function checked<T>(schema: Schema<T>, subject: string, value: unknown): T {
  const validation = validate(schema, value);
  if (validation.valid) return validation.value;
  const problems = validation.problems.map(({ field, message }) => `${field || 'it'} ${message}`);
  throw new TypeError(`${subject} is not right: ${problems.join('; ')}.`);
}
