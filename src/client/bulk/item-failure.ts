import {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionError,
  QuotaExceededError,
  SendFailedError,
} from '../errors/answered-errors.js';
import { describeOutcome } from '../errors/failure.js';
import { RequestError } from '../errors/request-error.js';
import { InvalidInputError } from '../errors/usage-errors.js';
import type { BulkJob } from './job.js';
import type { Standing } from './ledger.js';
import type { BulkStop } from './outcome.js';

type Operation = BulkJob<unknown, unknown>['operation'];

/** Why no other item would succeed either; `undefined` for an error that is this item's own. */
export function stopReasonOf(error: RequestError): BulkStop['reason'] | undefined {
  if (error instanceof QuotaExceededError) return 'quota_exceeded';
  if (error instanceof AuthenticationError || error instanceof PermissionError) return 'not_authorized';
  return undefined;
}

/** How an item that failed stands for a later run. */
export function standingAfter(error: RequestError, { repeatable }: Operation): Standing {
  if (error.outcome === 'unknown') return repeatable ? 'open' : 'unknown';
  return isAboutTheItem(error) ? 'finished' : 'open';
}

/**
 * Whether it was for the item's own sake that nothing was done. All other causes may be gone by the next run: no quota,
 * no network, a wrong key or address. To take up again what was not done is always safe.
 */
function isAboutTheItem(error: RequestError): boolean {
  return (
    error instanceof InvalidInputError ||
    error instanceof BadRequestError ||
    error instanceof SendFailedError ||
    (error instanceof NotFoundError && error.code === 'not_found')
  );
}

/** The error as one that tells its outcome; of what the client did not throw, nothing is known. */
export function asRequestError(thrown: unknown, { name }: Operation): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const facts = { operation: name, outcome: 'unknown', retryable: false, attempts: 0 } as const;
  return new RequestError(`${name} failed outside the client. ${describeOutcome(facts)}`, {
    ...facts,
    cause: thrown,
  });
}

/** The error of an item that an earlier run began, and may have carried out. */
export function interruptedError({ name }: Operation): RequestError {
  const facts = { operation: name, outcome: 'unknown', retryable: false, attempts: 0 } as const;
  const message =
    `${name} was begun for this item by an earlier run, and by the checkpoint its end is unknown. ` +
    `${describeOutcome(facts)} With retryUnknown, a run makes it again.`;
  return new RequestError(message, facts);
}
