import { isObject } from '../../foundation/is-object.js';
import { attempt } from '../../foundation/runtime.js';
import { ReceiverError } from './errors.js';

/** What a queue's client returns for a job that it did not store: each with what it says. */
const refusals: readonly (readonly [isOne: (result: unknown) => boolean, what: string])[] = [
  [(result) => result === null, 'null, as pg-boss does if the queue does not exist'],
  [(result) => result === false, 'false'],
  [(result) => isError(result) || isErrorOf(result), 'an error that it did not throw'],
  [(result) => hasItems(result, 'Failed', 'failed'), 'a list of failed entries, as an SQS batch does'],
  [
    (result) => isAbove(result, 'FailedEntryCount', 'FailedRecordCount', 'failedPutCount'),
    'a number of failed entries',
  ],
  [(result) => isField(result, 'ok', false), 'a response that is not ok'],
  [(result) => isField(result, 'success', false), 'success: false'],
  [(result) => isField(result, 'acknowledged', false), 'acknowledged: false'],
  [(result) => hasRefusedPart(result), 'a list with a rejected promise or an error'],
];

/**
 * Looks at what `enqueue` returned: a client may say "not stored" without throwing.
 *
 * @throws ReceiverError for a known form of "not stored".
 */
export function checkEnqueued(result: unknown): void {
  const found = refusals.find(([isOne]) => attempt(() => isOne(result)) === true);
  if (found === undefined) return;
  throw new ReceiverError(
    'not_enqueued',
    `The queue did not store a job: enqueue returned ${found[1]}. Let enqueue throw if the queue does not have the job. If it has ` +
      'the job, let enqueue return nothing.',
  );
}

function field(result: unknown, name: string): unknown {
  return isObject(result) ? result[name] : undefined;
}

/** An error of any realm. */
function isError(value: unknown): boolean {
  return typeof field(value, 'message') === 'string' && typeof field(value, 'stack') === 'string';
}

/** `{ error }` beside `data`, as Supabase returns it. */
function isErrorOf(result: unknown): boolean {
  const error = field(result, 'error');
  return isObject(error) || (typeof error === 'string' && error !== '');
}

function isField(result: unknown, name: string, value: boolean): boolean {
  return field(result, name) === value;
}

function hasItems(result: unknown, ...names: readonly string[]): boolean {
  return names.some((name) => {
    const list = field(result, name);
    return Array.isArray(list) && list.length > 0;
  });
}

function isAbove(result: unknown, ...names: readonly string[]): boolean {
  return names.some((name) => Number(field(result, name)) > 0);
}

/** Of `Promise.allSettled`, or of a transaction of Redis. */
function hasRefusedPart(result: unknown): boolean {
  return (
    Array.isArray(result) &&
    result.some((part) => isError(part) || field(part, 'status') === 'rejected' || isFailedReply(part))
  );
}

/** ioredis returns a pair of an error and a result for each command. */
function isFailedReply(part: unknown): boolean {
  return Array.isArray(part) && isError(part[0]);
}
