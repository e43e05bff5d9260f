import { CommanderError } from 'commander';
import {
  aboutDetour,
  aboutProxy,
  explainConnection,
  refusedByProxy,
  type Way,
} from '../../foundation/connection-causes.js';
import { InvalidInputError, RequestError } from '../../index.js';
import { CommandFailure, type FailureFacts, UsageError } from './failures.js';
import { printable } from './terminal.js';

/** A failure of a command, and what `--json` prints of it: the same fields at each command. */
export interface FailureReport extends FailureFacts {
  readonly error: string;
  /** 1 for a failure, 2 for an invalid command line. */
  readonly exitCode: 1 | 2;
}

/** The report of what a command threw. `undefined` for a mistake in this program. */
export function failureReport(error: unknown, way: Way): FailureReport | undefined {
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '');
    return { error: message === '(outputHelp)' ? 'The command is missing.' : message, exitCode: 2 };
  }
  // The input that a client refuses came from the command line.
  if (error instanceof UsageError || error instanceof InvalidInputError)
    return { error: error.message, exitCode: 2 };
  if (error instanceof CommandFailure) return { error: error.message, exitCode: 1, ...error.facts };
  if (error instanceof RequestError) {
    const { outcome, status, code } = error;
    return { error: describeRequestError(error, way), exitCode: 1, outcome, status, code };
  }
  return undefined;
}

/** Why a request of a client failed, and what to do where the cause is on its way. */
export function describeRequestError(error: unknown, way: Way): string {
  const { message, name, status }: Readonly<Record<'message' | 'name' | 'status', unknown>> = Object(error);
  const cause = explainConnection(error, way).sentences || (name === 'TimeoutError' ? aboutProxy(way) : '');
  const parts = [`${message}`, status === 407 ? refusedByProxy(status) : cause, aboutDetour(way)];
  return printable(parts.filter(Boolean).join(' '));
}
