import type { Redact } from '../../contract/redaction.js';
import { type Problem, type Schema, validate } from '../../contract/schema.js';
import type { FieldProblem } from '../../foundation/field-problem.js';

/** What is wrong with a value, by a schema of the contract. */
export function problemsOf(
  schema: Schema<unknown>,
  value: unknown,
  counts: (problem: Problem) => boolean = () => true,
): readonly FieldProblem[] {
  const validation = validate(schema, value);
  if (validation.valid) return [];
  return validation.problems.filter(counts).map(({ field, message }) => ({ field, message }));
}

/** Takes out of the fields' names what the user's data may have put there: a property called after a phone. */
export function redactProblems(problems: readonly FieldProblem[], redact: Redact): readonly FieldProblem[] {
  return problems.map(({ field, message }) => ({ field: redact(field), message }));
}
