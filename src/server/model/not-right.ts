import type { FieldProblem } from '../../foundation/field-problem.js';

/** The error for invalid input from a program or a file. It names each invalid field. */
export function notRight(subject: string, problems: readonly FieldProblem[]): TypeError {
  const lines = problems.map(({ field, message }) => `${field || 'the value'} ${message}`);
  return new TypeError([`${subject} is invalid:`, ...lines].join('\n  '));
}
