import { type Schema, validate } from '../../contract/schema.js';
import { notRight } from '../model/service-error.js';

/**
 * Checks a value that a program passes, and returns it.
 *
 * @param subject The name of the value in the error, such as `The template`.
 * @throws ConfigurationError that names each invalid field.
 */
export function checked<T>(schema: Schema<T>, subject: string, value: unknown): T {
  const validation = validate(schema, value);
  if (validation.valid) return validation.value;
  throw notRight(subject, validation.problems);
}
