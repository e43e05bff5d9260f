import { type Answer, errorAnswerOf, type Reply } from '../../answers/answer.js';
import { WaitEndedError } from '../../hands/long-poll.js';
import { WaitTimeoutError } from '../../hands/wait.js';
import { defaultSpecGaps } from '../../model/spec-gaps.js';

/** The refusal of what the service itself has no error for, so that the contract does not know it. */
export class ForbiddenError extends Error {
  static {
    this.prototype.name = 'ForbiddenError';
  }
}

/**
 * The answer to what ends otherwise than any request to the service.
 *
 * @throws What was thrown, where it is nothing of the kind.
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
