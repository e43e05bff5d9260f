import type { OperationRequest } from '../../contract/operation.js';
import type { Redact } from '../../contract/redaction.js';
import type { FieldProblem } from '../../foundation/field-problem.js';

/** The checks of a workspace at each call. Operations have their names from the contract. */
export interface WorkspaceRules {
  /**
   * Converts the given request into the one to send.
   *
   * @throws {InvalidInputError} when the request does not match the workspace. Nothing was sent.
   */
  prepare(operation: string, request: OperationRequest, redact: Redact): Promise<OperationRequest>;
  /** The differences of a result from the workspace. The result already matches the contract. */
  inspect(operation: string, result: unknown): Promise<readonly FieldProblem[]>;
}

/** An unchecked request body, perhaps from a program without types. */
export type Body = Readonly<Record<string, unknown>>;

/** The body to send, unless there are problems. */
export interface Prepared {
  readonly body: Body;
  readonly problems: readonly FieldProblem[];
}
