import type { FieldProblem } from '../../foundation/field-problem.js';

/** What to throw where something that a program or a file gave is not right; it names every field that is wrong. */
export function notRight(subject: string, problems: readonly FieldProblem[]): TypeError {
  const lines = problems.map(({ field, message }) => `${field || 'the whole'} ${message}`);
  return new TypeError([`${subject} is not right:`, ...lines].join('\n  '));
}
