import { type Schema, validate } from '../contract/schema.js';
import { ToolFailure } from './tool-failure.js';

/**
 * Checks an argument or the arguments of a tool.
 *
 * @throws ToolFailure that names each problem.
 */
export function checked<T>(schema: Schema<T>, value: unknown): T {
  const validation = validate(schema, value);
  if (validation.valid) return validation.value;
  const problems = validation.problems.map(({ field, message }) => `${field || 'the value'} ${message}`);
  throw new ToolFailure(`Invalid arguments: ${problems.join('; ')}.`);
}
