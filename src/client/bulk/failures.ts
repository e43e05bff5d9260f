import {
  IdempotencyError,
  InvalidInputError,
  NotConfiguredError,
  SendBlockedError,
} from '../errors/no-response-errors.js';
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
  /** Whether the next success of any item shows that this one was rejected because of its own content. */
  readonly untilSuccess?: boolean;
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
 */
export class Failures {
  readonly #maxConsecutiveFailures: number;
  readonly #sentTemplates = new Set<string | undefined>();
  readonly #heldByTemplate = new Map<string | undefined, Set<number>>();
  readonly #heldByCode = new Map<string, Set<number>>();
  /** How many consecutive items failed for a cause outside the items. */
  #outside = 0;

  /** @param maxConsecutiveFailures How many consecutive failures stop the run. */
  constructor(maxConsecutiveFailures: number) {
    this.#maxConsecutiveFailures = maxConsecutiveFailures;
  }

  /** Records a success. Returns the held items that were therefore rejected because of their own content. */
  succeeded(template: string | undefined): readonly number[] {
    this.#outside = 0;
    this.#sentTemplates.add(template);
    return this.#release(new Set([template]));
  }

  /** @param isProven Whether an item of the job has been carried out, now or before. */
  failed(index: number, error: RequestError, template: string | undefined, isProven: boolean): Verdict {
    if (error instanceof QuotaExceededError) return { stop: 'quota_exceeded' };
    if (
      error instanceof AuthenticationError ||
      error instanceof PermissionError ||
      error instanceof NotConfiguredError
    )
      return { stop: 'not_authorized' };
    // A guard holds back single messages, however many in a row.
    if (error instanceof SendBlockedError) return { rejected: true };
    // Another call with the same key may have carried out this item, which says nothing of the others.
    if (error instanceof IdempotencyError && error.outcome === 'unknown') return {};
    const subject = subjectOf(error);
    if (subject === 'outside') {
      this.#outside += 1;
      return { stop: this.#stopAt(this.#outside, 'service_unavailable'), outside: this.#outside };
    }
    if (error.attempts > 0) this.#outside = 0;
    if (subject === 'template')
      return { stop: this.#stopAt(hold(this.#heldByTemplate, template, index), 'template_rejected') };
    if (isProven) return { rejected: true };
    const heldAlike = hold(this.#heldByCode, `${error.name} ${error.code}`, index);
    return { untilSuccess: true, stop: this.#stopAt(heldAlike, 'all_rejected') };
  }

  /** Records the end of the input. Returns the held items that no wider cause explains. */
  ended(): readonly number[] {
    return this.#release(this.#sentTemplates);
  }

  #stopAt(inARow: number, reason: BulkStop['reason']): BulkStop['reason'] | undefined {
    return inARow >= this.#maxConsecutiveFailures ? reason : undefined;
  }

  #release(templates: ReadonlySet<string | undefined>): readonly number[] {
    const released = [...this.#heldByCode.values()];
    this.#heldByCode.clear();
    for (const template of templates) {
      released.push(this.#heldByTemplate.get(template) ?? new Set());
      this.#heldByTemplate.delete(template);
    }
    return released.flatMap((held) => [...held]);
  }
}

/** Holds the item for a cause. Returns how many items are held for it. */
function hold<Cause>(held: Map<Cause, Set<number>>, cause: Cause, index: number): number {
  const items = held.get(cause) ?? new Set();
  held.set(cause, items.add(index));
  return items.size;
}

/**
 * The error of an item that an earlier run started, and may have carried out.
 *
 * @param hadKey Whether that run had a key for it, and this one has none.
 */
export function interruptedError({ name: operation }: Operation, hadKey: boolean): RequestError {
  const advice = hadKey ? 'With the idempotency keys of that run, or with retryUnknown' : 'With retryUnknown';
  const message =
    `${operation} was started for this item by an earlier run, which recorded no result. ` +
    `The service may have processed it. Check before you retry. ${advice}, a run makes the call again.`;
  return new RequestError(message, { operation, outcome: 'unknown', retryable: false, attempts: 0 });
}

/** The error of an item that waits for an earlier one of its contact, which the next run carries out. */
export function heldBackError({ name: operation }: Operation, earlier: number): RequestError {
  const message =
    `${operation} was not made for this item, because an earlier item of the same contact is still open: ` +
    `the one at index ${earlier}. Nothing was sent. The next run makes both calls in their order.`;
  return new RequestError(message, { operation, outcome: 'not_sent', retryable: true, attempts: 0 });
}
