import { describeErrorClass } from '../../foundation/base-error.js';
import { type FieldProblem, listProblems } from '../../foundation/field-problem.js';
import { RequestError } from './request-error.js';

/**
 * The input of a call is invalid. The client checks it before it sends anything. `problems` names each field and what
 * it must be.
 *
 * @example
 * ```ts
 * import { InvalidInputError, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.contacts.upsert({ phone: '555 1234' });
 * } catch (error) {
 *   if (!(error instanceof InvalidInputError)) throw error;
 *   for (const problem of error.problems) console.error(problem.field, problem.message);
 * }
 * ```
 */
export class InvalidInputError extends RequestError {
  /** What is wrong with the input, field by field. */
  readonly problems: readonly FieldProblem[];

  static {
    describeErrorClass(this, 'InvalidInputError');
  }

  constructor(operation: string, problems: readonly FieldProblem[], cause?: unknown) {
    super(`${operation} was not sent: ${listProblems(problems, 'the input')}.`, {
      operation,
      outcome: 'not_sent',
      retryable: false,
      attempts: 0,
      cause,
    });
    this.problems = problems;
  }
}
