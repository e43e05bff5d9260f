import { type FieldProblem, listProblems } from '../../foundation/field-problem.js';
import { createWarnings } from '../../foundation/warnings.js';

/** A successful response of an unexpected shape. The call still resolved. */
export interface Drift {
  /** The resource and the verb of the call, such as `contacts.upsert`. */
  readonly operation: string;
  /** The HTTP status of the response. */
  readonly status: number;
  /** The names of the fields and what was expected, never a value. */
  readonly problems: readonly FieldProblem[];
}

/** The default of `onDrift`: a process warning, once per operation. */
export function createDriftWarner(): (drift: Drift) => void {
  const warnOnce = createWarnings('MessagingAutomationDrift');
  return ({ operation, problems }) =>
    warnOnce(
      operation,
      `${operation} was answered in a shape this package does not expect: ${listProblems(problems, 'the body')}. ` +
        'The call went through; give onDrift to handle this, or validation: "off" to ignore it.',
    );
}
