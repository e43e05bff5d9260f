import { type Schema, validate } from '../../contract/schema.js';
import { notRight } from '../model/service-error.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

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

/** Runs a rule when the workspace is ready for calls. Rejects after a close. */
export async function whenOpen<Result>(
  live: LiveWorkspace,
  rule: () => Promise<Result> | Result,
): Promise<Result> {
  await live.life.opened();
  return rule();
}
