import { type FieldProblem, listProblems } from '../../foundation/field-problem.js';
import { createWarnings } from '../../foundation/warnings.js';

/**
 * An answer that is not what the document shows, or not what this package takes it to mean. The call resolved
 * all the same.
 */
export interface Drift {
  /** Resource and verb of the call, as in `contacts.upsert`. */
  readonly operation: string;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** What differs: names of fields and what was expected, never a value. */
  readonly problems: readonly FieldProblem[];
}

/** What becomes of drift when no `onDrift` is given: a warning, once per operation. */
export function createDriftWarner(): (drift: Drift) => void {
  const warnOnce = createWarnings('MessagingAutomationDrift');
  return ({ operation, problems }) =>
    warnOnce(
      operation,
      `${operation} was answered in a shape this package does not expect: ${listProblems(problems, 'the body')}. ` +
        'The call went through; give onDrift to handle this, or validation: "off" to ignore it.',
    );
}
