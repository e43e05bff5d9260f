import type { AnyOperation, Operation, OperationRequest } from '../contract/operation.js';
import { type FieldProblem, listProblems } from '../foundation/field-problem.js';
import { type Reading, readAnswer } from './answer/answer.js';
import type { Drift } from './answer/drift.js';
import { saysRecordIsMissing } from './answer/error-body.js';
import { requestIdOf } from './answer/request-id.js';
import { Call, type Understanding } from './call/call.js';
import { CallPromise } from './call/call-promise.js';
import type { CallFacts } from './call/failure.js';
import { redactProblems } from './call/problems.js';
import type { RequestOptions } from './call/request-options.js';
import type { Configuration } from './configuration.js';
import { UnusableResponseError } from './errors/unusable-response-error.js';
import type { Transport, TransportResponse } from './transport.js';

/** Makes the calls of the contract's table: from an input to a result, or to one error. */
export class Caller {
  readonly #configuration: Configuration;
  readonly #transport: Transport;

  constructor(configuration: Configuration, transport: Transport) {
    this.#configuration = configuration;
    this.#transport = transport;
  }

  /** Makes the call. */
  call<Request extends OperationRequest, Result>(
    operation: Operation<Request, Result>,
    request: Request,
    options: RequestOptions = {},
  ): CallPromise<Result> {
    const understanding: Understanding<Result> = {
      // A DELETE whose answer was lost, and whose repetition finds nothing, has done its work.
      accepts: (answer, lost) =>
        isOk(answer) || (lost && operation.method === 'DELETE' && this.#saysMissing(answer)),
      read: (answer, facts) => this.#read(operation, answer, facts),
    };
    const call = new Call(this.#configuration, this.#transport, operation, understanding);
    return new CallPromise(call.run(request, options));
  }

  /** Makes the call, and gives `null` where the service has no such record. */
  callOrNull<Request extends OperationRequest, Result>(
    operation: Operation<Request, Result>,
    request: Request,
    options: RequestOptions = {},
  ): CallPromise<Result | null> {
    const understanding: Understanding<Result | null> = {
      accepts: (answer) => isOk(answer) || this.#saysMissing(answer),
      read: (answer, facts) => (isOk(answer) ? this.#read(operation, answer, facts) : null),
    };
    const call = new Call(this.#configuration, this.#transport, operation, understanding);
    return new CallPromise(call.run(request, options));
  }

  #saysMissing(answer: TransportResponse): boolean {
    return saysRecordIsMissing(answer, this.#configuration.redact);
  }

  async #read<Request extends OperationRequest, Result>(
    operation: Operation<Request, Result>,
    answer: TransportResponse,
    facts: CallFacts,
  ): Promise<Result> {
    const { validation, redact } = this.#configuration;
    const reading = readAnswer(operation.result, answer);
    if (reading.usable && validation === 'off') return reading.value;
    const found = await this.#problemsWith(operation, reading);
    if (reading.usable && found.length === 0) return reading.value;
    const problems = redactProblems(found, redact);
    const { status } = answer;
    if (reading.usable && validation === 'warn') {
      this.#tellOfDrift({ operation: operation.name, status, problems });
      return reading.value;
    }
    const requestId = requestIdOf(answer, redact);
    throw new UnusableResponseError(describeUnusable(facts, status, problems), {
      ...facts,
      status,
      requestId,
      problems,
    });
  }

  /** What is not as the contract has it, or else not as the workspace has it, where there is one. */
  #problemsWith(
    { name }: AnyOperation,
    reading: Reading<unknown>,
  ): readonly FieldProblem[] | Promise<readonly FieldProblem[]> {
    const { workspace } = this.#configuration;
    const isSound = reading.usable && reading.problems.length === 0;
    return workspace && isSound ? workspace.inspect(name, reading.value) : reading.problems;
  }

  #tellOfDrift(drift: Drift): void {
    try {
      this.#configuration.onDrift(drift);
    } catch {
      // The request was carried out; a fault in an observer must not make it look failed.
    }
  }
}

function isOk({ status }: TransportResponse): boolean {
  return status >= 200 && status < 300;
}

function describeUnusable(facts: CallFacts, status: number, problems: Drift['problems']): string {
  return (
    `${facts.operation} was answered with ${status}, but the answer cannot be used: ${listProblems(problems, 'the body')}. ` +
    'The request was probably carried out. Check that the base URL is that of the service, ending before /v1.'
  );
}
