import type { OperationRequest } from '../../contract/operation.js';
import type { Redact } from '../../contract/redaction.js';
import type { FieldProblem } from '../../foundation/field-problem.js';

/** What a client asks of its workspace at each call; operations go by their names in the contract. */
export interface WorkspaceRules {
  /**
   * Makes of a request as it was given the one to be sent.
   *
   * @throws {InvalidInputError} where it is not as the workspace has it; then nothing has been sent.
   */
  prepare(operation: string, request: OperationRequest, redact: Redact): Promise<OperationRequest>;
  /** What in a result, whose shape is that of the contract, is not as the workspace has it. */
  inspect(operation: string, result: unknown): Promise<readonly FieldProblem[]>;
}

/** A request's body, of which nothing is certain yet: a program without types may have given it. */
export type Body = Readonly<Record<string, unknown>>;

/** A body to be sent, unless there are problems. */
export interface Prepared {
  readonly body: Body;
  readonly problems: readonly FieldProblem[];
}
