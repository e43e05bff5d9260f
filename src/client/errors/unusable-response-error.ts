import { describeErrorClass } from '../../foundation/base-error.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { RequestError, type RequestErrorFacts } from './request-error.js';

/**
 * The service answered with a success whose body cannot be used: an HTML page, no JSON where a record is
 * needed, or, with `validation: 'strict'`, a shape that is not the documented one.
 *
 * `outcome` is `unknown`: the status says that the request was carried out, the body does not confirm it.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, UnusableResponseError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation({ validation: 'strict' });
 * try {
 *   await messaging.templates.list();
 * } catch (error) {
 *   if (!(error instanceof UnusableResponseError)) throw error;
 *   for (const problem of error.problems) console.error(problem.field, problem.message);
 * }
 * ```
 */
export class UnusableResponseError extends RequestError {
  /** The HTTP status of the answer. */
  declare readonly status: number;
  /** What is wrong with the answer. */
  readonly problems: readonly FieldProblem[];

  static {
    describeErrorClass(this, 'UnusableResponseError');
  }

  constructor(
    message: string,
    facts: RequestErrorFacts & { readonly status: number; readonly problems: readonly FieldProblem[] },
  ) {
    super(message, facts);
    this.problems = facts.problems;
  }
}

/**
 * The service answered with a success whose body is longer than `maxResponseBytes`. The rest of it was not read, and
 * the call is not made again. `outcome` is `unknown`: the status says that the request was carried out.
 *
 * An error whose body is too long comes as the {@link ApiError} of its status.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, ResponseTooLargeError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation({ maxResponseBytes: 50 * 1024 * 1024 });
 * try {
 *   await messaging.templates.list();
 * } catch (error) {
 *   if (!(error instanceof ResponseTooLargeError)) throw error;
 *   console.error(error.operation, error.message);
 * }
 * ```
 */
export class ResponseTooLargeError extends UnusableResponseError {
  static {
    describeErrorClass(this, 'ResponseTooLargeError');
  }
}
