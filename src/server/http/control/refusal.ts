import { type Answer, errorAnswerOf, type Reply } from '../../answers/answer.js';
import { defaultSpecGaps } from '../../model/spec-gaps.js';
import { WaitEndedError, WaitTimeoutError } from '../../workspace-api/wait.js';

/** An error that the service's contract does not have. */
export class ForbiddenError extends Error {
  static {
    this.prototype.name = 'ForbiddenError';
  }
}

/**
 * Returns the response for the errors that only the control surface has.
 *
 * @throws The original error, if it is none of these.
 */
export function answerTo(error: unknown, readerIsGone: boolean): Reply {
  if (error instanceof WaitEndedError && readerIsGone) return { status: 'reset' };
  if (error instanceof WaitEndedError) return refusal(503, 'closing', error);
  if (error instanceof WaitTimeoutError) return refusal(408, 'wait_timeout', error);
  if (error instanceof ForbiddenError) return refusal(403, 'forbidden', error);
  throw error;
}

function refusal(status: number, code: string, { message }: Error): Answer {
  return errorAnswerOf(status, { code, message }, defaultSpecGaps);
}
