import { describeErrorClass } from '../../foundation/base-error.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { RequestError, type RequestErrorFacts } from './request-error.js';

/**
 * The service answered with a success status, but the client cannot use the response body: it is an HTML page, it is
 * not JSON, or, with `validation: 'strict'`, it has an unexpected shape. `problems` names the fields.
 *
 * `outcome` is `unknown`: the status says that the request was carried out, but the body does not confirm it.
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
  /** The HTTP status of the response. */
  declare readonly status: number;
  /** What is wrong with the response, field by field. */
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
 * The service answered with a success status, and the response body is larger than `maxResponseBytes`. The client
 * stopped reading and does not retry. `outcome` is `unknown`: the status says that the request was carried out.
 *
 * An error response with a body that is too large is the {@link ApiError} of its status.
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
