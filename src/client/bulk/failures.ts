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
} from '../errors/answered-errors.js';
import { RequestError } from '../errors/request-error.js';
import { InvalidInputError } from '../errors/unanswered-errors.js';
import type { BulkJob } from './job.js';
import type { BulkStop } from './outcome.js';

type Operation = BulkJob<unknown, unknown>['operation'];

/** The reason to stop the run, if no other item could succeed; `undefined` if the error concerns this item only. */
export function stopReasonOf(error: RequestError): BulkStop['reason'] | undefined {
  if (error instanceof QuotaExceededError) return 'quota_exceeded';
  if (error instanceof AuthenticationError || error instanceof PermissionError) return 'not_authorized';
  return undefined;
}

/** Whether the service asked for a pause. */
export function asksForPause(error: RequestError): error is RateLimitError | ServerError {
  if (error instanceof RateLimitError) return true;
  return error instanceof ServerError && error.status === 503 && error.retryAfter !== undefined;
}

/**
 * What a failure concerns: only the item, perhaps all items of its template, or a cause outside the items.
 *
 * Only an error of the service itself, in JSON and with a code, closes an item. A page with status 400 comes from a proxy
 * or gateway, which answers the same to every item.
 */
export function subjectOf(error: RequestError): 'item' | 'template' | 'outside' {
  if (error instanceof InvalidInputError) return 'item';
  if (error.outcome === 'unknown' || !(error instanceof ApiError) || error.code === undefined)
    return 'outside';
  if (error instanceof SendFailedError) return 'template';
  if (error instanceof NotFoundError) return subjectOfMissing(error.code);
  return [400, 409, 413, 422].includes(error.status) ? 'item' : 'outside';
}

function subjectOfMissing(code: string): 'item' | 'template' | 'outside' {
  if (code === 'not_found') return 'item';
  return code.includes('template') ? 'template' : 'outside';
}

/** What a failure means for the run. */
export interface Verdict {
  /** The items that were rejected because of their own content. */
  readonly rejected: Iterable<number>;
  /** The reason to stop, if one cause failed enough consecutive items. */
  readonly stop: BulkStop['reason'] | undefined;
  /** How many consecutive items failed for a cause outside the items. */
  readonly outside: number;
}

/**
 * Distinguishes items that are rejected because of their own content from a cause that fails item after item.
 *
 * An item whose rejection may have a wider cause is held, and stays open. A success releases it: a successful send of the
 * same template if the template may be the cause, any successful item otherwise.
 */
export class RepeatedFailures {
  readonly #stopAfter: number;
  readonly #templates = new Map<string | undefined, { sent: boolean; readonly held: Set<number> }>();
  readonly #held = new Map<string, Set<number>>();
  #outside = 0;

  /** @param stopAfter How many consecutive failures stop the run. */
  constructor(stopAfter: number) {
    this.#stopAfter = stopAfter;
  }

  /** Records a success. Returns the held items that were therefore rejected because of their own content. */
  succeeded(template: string | undefined): Iterable<number> {
    this.#outside = 0;
    const { held } = this.#ofTemplate(template);
    this.#templates.set(template, { sent: true, held: new Set<number>() });
    return [...held, ...this.#release()];
  }

  /** @param isProven Whether an item of the job has been carried out, now or before. */
  failed(index: number, error: RequestError, template: string | undefined, isProven: boolean): Verdict {
    switch (subjectOf(error)) {
      case 'outside':
        this.#outside += 1;
        return this.#verdict('service_unavailable', this.#outside);
      case 'template': {
        this.#outside = 0;
        const { held } = this.#ofTemplate(template);
        held.add(index);
        return this.#verdict('template_rejected', held.size);
      }
      case 'item': {
        if (error.attempts > 0) this.#outside = 0;
        if (isProven) return { rejected: [index], stop: undefined, outside: 0 };
        const held = this.#heldFor(`${error.name} ${error.code}`);
        held.add(index);
        return this.#verdict('all_rejected', held.size);
      }
    }
  }

  /** Records the end of the input. Returns the held items that no wider cause explains. */
  ended(): Iterable<number> {
    const ofTemplates = [...this.#templates.values()].flatMap(({ sent, held }) => (sent ? [...held] : []));
    return [...ofTemplates, ...this.#release()];
  }

  #verdict(reason: BulkStop['reason'], inARow: number): Verdict {
    const stop = inARow >= this.#stopAfter ? reason : undefined;
    return { rejected: [], stop, outside: this.#outside };
  }

  #ofTemplate(template: string | undefined) {
    const known = this.#templates.get(template) ?? { sent: false, held: new Set<number>() };
    this.#templates.set(template, known);
    return known;
  }

  #heldFor(cause: string): Set<number> {
    const known = this.#held.get(cause) ?? new Set<number>();
    this.#held.set(cause, known);
    return known;
  }

  #release(): readonly number[] {
    const released = [...this.#held.values()].flatMap((held) => [...held]);
    this.#held.clear();
    return released;
  }
}

/** Wraps an error that the client did not throw. Its outcome is unknown. */
export function asRequestError(thrown: unknown, { name }: Operation): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const message = `${name} failed outside the client. It may have been carried out all the same.`;
  return new RequestError(message, { ...unknownFacts(name), cause: thrown });
}

/** The error of an item that an earlier run started, and may have carried out. */
export function interruptedError({ name }: Operation): RequestError {
  const message =
    `${name} was begun for this item by an earlier run, and by the checkpoint its end is unknown. ` +
    'It may have been carried out: find out before making the call again. With retryUnknown, a run makes it again.';
  return new RequestError(message, unknownFacts(name));
}

/** The error of an item whose response has a success status, but does not say `success: true`. */
export function unconfirmedError({ name }: Operation): RequestError {
  const message =
    `${name} was answered with 200, but the body does not say that it succeeded (success: true). ` +
    'It may have been carried out all the same: find out before making the call again.';
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
