import { ConfigurationError, type FieldProblem } from '../../foundation/options.js';

/** The error for invalid input from a program or a file. It names each invalid field. */
export function notRight(subject: string, problems: readonly FieldProblem[]): ConfigurationError {
  const lines = problems.map(({ field, message }) => `${field || 'the value'} ${message}`);
  return new ConfigurationError([`${subject} is invalid:`, ...lines].join('\n  '));
}
