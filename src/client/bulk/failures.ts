import { IdempotencyError, InvalidInputError, SendBlockedError } from '../errors/no-response-errors.js';
import { RequestError } from '../errors/request-error.js';
import {
  ApiError,
  AuthenticationError,
  NotFoundError,
  PermissionError,
  QuotaExceededError,
  RateLimitError,
  SendFailedError,
  ServerError,
  UnusableResponseError,
} from '../errors/response-errors.js';
import type { BulkJob } from './options.js';
import type { BulkStop } from './outcome.js';

type Operation = BulkJob<unknown, unknown>['operation'];

/** Whether the service asked for a pause. */
export function asksForPause(error: RequestError): error is RateLimitError | ServerError {
  if (error instanceof RateLimitError) return true;
  return error instanceof ServerError && error.status === 503 && error.retryAfter !== undefined;
}

/**
 * What a failure concerns: only the item, perhaps all items of its template, or a cause outside the items.
 *
 * Only an error of the service itself, in JSON and with a code, closes an item. A page with status 400 comes from a proxy
 * or gateway, which returns the same for every item.
 */
function subjectOf(error: RequestError): 'item' | 'template' | 'outside' {
  if (error instanceof InvalidInputError) return 'item';
  if (error.outcome === 'unknown' || !(error instanceof ApiError) || error.code === undefined)
    return 'outside';
  if (error instanceof SendFailedError) return 'template';
  if (!(error instanceof NotFoundError))
    return [400, 409, 413, 422].includes(error.status) ? 'item' : 'outside';
  if (error.code === 'not_found') return 'item';
  return error.code.includes('template') ? 'template' : 'outside';
}

/** What a failure means for the run. */
export interface Verdict {
  /** Whether the item was rejected because of its own content. */
  readonly rejected?: boolean;
  /** The reason to stop, if no other item could succeed, or one cause failed enough consecutive items. */
  readonly stop?: BulkStop['reason'] | undefined;
  /** How many consecutive items failed for a cause outside the items. 0 if this one did not. */
  readonly outside?: number;
}

/**
 * Distinguishes items that are rejected because of their own content from a cause that fails item after item.
 *
 * An item whose rejection may have a wider cause is held, and stays open. A success releases it: a successful send of the
 * same template if the template may be the cause, any successful item otherwise.
 *
 * @param maxConsecutiveFailures How many consecutive failures stop the run.
 */
export function createFailures(maxConsecutiveFailures: number) {
  const sent = new Set<string | undefined>();
  const heldByTemplate = new Map<string | undefined, Set<number>>();
  const heldByCode = new Map<string, Set<number>>();
  let outside = 0;

  function release(templates: ReadonlySet<string | undefined>): readonly number[] {
    const released = [...heldByCode.values()];
    heldByCode.clear();
    for (const template of templates) {
      released.push(heldByTemplate.get(template) ?? new Set());
      heldByTemplate.delete(template);
    }
    return released.flatMap((held) => [...held]);
  }

  const stopAt = (inARow: number, reason: BulkStop['reason']) =>
    inARow >= maxConsecutiveFailures ? reason : undefined;

  return {
    /** Records a success. Returns the held items that were therefore rejected because of their own content. */
    succeeded(template: string | undefined): readonly number[] {
      outside = 0;
      sent.add(template);
      return release(new Set([template]));
    },
    /** @param isProven Whether an item of the job has been carried out, now or before. */
    failed(index: number, error: RequestError, template: string | undefined, isProven: boolean): Verdict {
      if (error instanceof QuotaExceededError) return { stop: 'quota_exceeded' };
      if (error instanceof AuthenticationError || error instanceof PermissionError)
        return { stop: 'not_authorized' };
      // A guard holds back single messages, however many in a row.
      if (error instanceof SendBlockedError) return { rejected: true };
      // Another call with the same key may have sent this item, which says nothing of the others.
      if (error instanceof IdempotencyError && error.outcome === 'unknown') return {};
      const subject = subjectOf(error);
      if (subject === 'outside') {
        outside += 1;
        return { stop: stopAt(outside, 'service_unavailable'), outside };
      }
      if (error.attempts > 0) outside = 0;
      if (subject === 'template')
        return { stop: stopAt(hold(heldByTemplate, template, index), 'template_rejected') };
      if (isProven) return { rejected: true };
      return { stop: stopAt(hold(heldByCode, `${error.name} ${error.code}`, index), 'all_rejected') };
    },
    /** Records the end of the input. Returns the held items that no wider cause explains. */
    ended: () => release(sent),
  };
}

/** Holds the item for a cause. Returns how many items are held for it. */
function hold<Cause>(held: Map<Cause, Set<number>>, cause: Cause, index: number): number {
  const items = held.get(cause) ?? new Set();
  held.set(cause, items.add(index));
  return items.size;
}

/** Wraps an error that the client did not throw. Its outcome is unknown. */
export function asRequestError(thrown: unknown, { name }: Operation): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const message = `${name} failed outside the client. The service may have processed it.`;
  return new RequestError(message, { ...unknownFacts(name), cause: thrown });
}

/** The error of an item that an earlier run started, and may have carried out. */
export function interruptedError({ name }: Operation): RequestError {
  const message =
    `${name} was started for this item by an earlier run, which recorded no result. ` +
    'The service may have processed it. Check before you retry. With retryUnknown, a run makes the call again.';
  return new RequestError(message, unknownFacts(name));
}

/** The error of an item whose response has a success status, but does not say `success: true`. */
export function unconfirmedError({ name }: Operation): RequestError {
  const message =
    `${name} returned 200 with a body that does not say success: true. ` +
    'The service may have processed it. Check before you retry.';
  return new UnusableResponseError(message, {
    ...unknownFacts(name),
    attempts: 1,
    status: 200,
    problems: [{ field: 'success', message: 'is not true' }],
  });
}

function unknownFacts(operation: string) {
  return { operation, outcome: 'unknown', retryable: false, attempts: 0 } as const;
}
