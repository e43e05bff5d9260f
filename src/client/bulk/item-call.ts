import { confirmingField, isConfirmed } from '../../contract/operation.js';
import { steersFramework } from '../../foundation/steering.js';
import { InvalidInputError } from '../errors/no-response-errors.js';
import { cleanCopy, type Outcome, RequestError } from '../errors/request-error.js';
import { UnusableResponseError } from '../errors/response-errors.js';
import { anIdempotencyKey } from '../request/request-options.js';
import type { Item } from './input-and-outcomes.js';
import type { BulkCall, BulkJob, BulkResponse } from './options.js';

type Operation = BulkJob<unknown, unknown>['operation'];

/** What the call of an item threw to steer the framework around the run, and what has become of its request. */
export class SteeredCall {
  readonly thrown: unknown;
  readonly outcome: Outcome;

  constructor(thrown: unknown, outcome: Outcome) {
    this.thrown = thrown;
    this.outcome = outcome;
  }
}

/**
 * Makes the call of an item.
 *
 * @param noMoreAttempts Aborts when the run stops.
 * @returns The result, if the response confirms it; otherwise the error, or what steers the framework. Never rejects.
 */
export async function callItem<Input, Data>(
  job: BulkJob<Input, Data>,
  { input, index }: Item<Input>,
  noMoreAttempts: AbortSignal,
): Promise<Data | RequestError | SteeredCall> {
  const { operation } = job;
  const { timeout, retries, headers } = job.options;
  let call: BulkCall<Data> | undefined;
  try {
    const key = job.keyOf && { idempotencyKey: checkedKey(job, () => job.keyOf?.(input, index)) };
    const ofRun = { retryRateLimits: false, noMoreAttempts };
    call = job.call(input, { timeout, retries, headers, ...ofRun, ...key });
    const response = await call.withResponse();
    return isConfirmed(operation, response.data) ? response.data : unconfirmedError(operation, response);
  } catch (thrown) {
    if (steersFramework(thrown)) return new SteeredCall(thrown, call?.outcome ?? 'not_sent');
    return asRequestError(thrown, operation);
  }
}

/** @throws {InvalidInputError} when the user's function throws or returns no key. */
function checkedKey({ operation, settings }: BulkJob<unknown, unknown>, compute: () => unknown): string {
  const refused = (message: string, cause?: Error) =>
    new InvalidInputError(operation.name, [{ field: 'idempotencyKey', message }], cause);
  let key: unknown;
  try {
    key = compute();
  } catch (thrown) {
    if (steersFramework(thrown)) throw thrown;
    throw refused('is missing, because its function threw an error', cleanCopy(thrown, settings.redact));
  }
  const [isKey, wanted] = anIdempotencyKey;
  if (typeof key === 'string' && isKey(key)) return key;
  Promise.resolve(key).catch(() => {}); // an async function may reject, which must not end the process
  throw refused(`must be ${wanted}, and its function returned something else`);
}

/** Wraps an error that the client did not throw. Its outcome is unknown. */
function asRequestError(thrown: unknown, { name: operation }: Operation): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const message = `${operation} failed outside the client. The service may have processed it.`;
  const facts = { operation, outcome: 'unknown', retryable: false, attempts: 0 } as const;
  return new RequestError(message, { ...facts, cause: thrown });
}

/** The error of an item whose response has a success status, but does not say that the call was carried out. */
function unconfirmedError(
  described: Operation,
  { response: { status }, attempts, requestId }: BulkResponse<unknown>,
): RequestError {
  const { name: operation } = described;
  const field = confirmingField(described) ?? '';
  const message =
    `${operation} returned ${status} with a body that does not say ${field}: true. ` +
    'The service may have processed it. Check before you retry.';
  const problems = [{ field, message: 'is not true' }];
  const facts = { operation, outcome: 'unknown', retryable: false, attempts, status, requestId } as const;
  return new UnusableResponseError(message, { ...facts, problems });
}
