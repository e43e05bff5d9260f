import { AuthenticationError, PermissionError, QuotaExceededError } from '../errors/answered-errors.js';
import { RequestError } from '../errors/request-error.js';
import { describeOutcome } from '../failure.js';
import type { BulkJob } from './bulk-run.js';
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
  // Nothing was done, and for a cause that passes: the service was away, busy, or there was no quota.
  return error.retryable || stopReasonOf(error) !== undefined ? 'open' : 'finished';
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
