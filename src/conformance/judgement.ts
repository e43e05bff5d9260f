import {
  describe,
  describeNeed,
  type NotRequested,
  notRequested,
  type Outcome,
  type ReceivedResponse,
} from './exchange/outcome.js';
import type { OptionName } from './option-name.js';

/** Whether a deployment keeps a statement. */
export type Judgement =
  | { readonly verdict: 'held'; readonly seen: string }
  | { readonly verdict: 'broken'; readonly seen: string; readonly expected: string }
  | { readonly verdict: 'not_checked'; readonly seen: string; readonly option?: OptionName };

/** `held` if the condition is true, otherwise `broken`. */
export function holds(isSo: boolean, seen: string, expected: string): Judgement {
  return isSo ? { verdict: 'held', seen } : { verdict: 'broken', seen, expected };
}

export function broken(seen: string, expected: string): Judgement {
  return { verdict: 'broken', seen, expected };
}

/** `not_checked`, with what the check needs. */
export function notChecked(missing: NotRequested | string): Judgement & { readonly verdict: 'not_checked' } {
  const need = typeof missing === 'string' ? notRequested(missing) : missing;
  return {
    verdict: 'not_checked',
    seen: describeNeed(need),
    ...(need.option !== undefined && { option: need.option }),
  };
}

/** Judges an outcome. A request without a response breaks the statement. A request that was not made leaves it unchecked. */
export function judge(
  outcome: Outcome,
  expected: string,
  isSo: (response: ReceivedResponse) => boolean,
  describeIt: (outcome: Outcome) => string = describe,
): Judgement {
  if (outcome.kind === 'not_requested') return notChecked(outcome);
  if (outcome.kind === 'no_response') return broken(describe(outcome), expected);
  if (isSo(outcome)) return holds(true, describeIt(outcome), expected);
  // The deployment may have processed a request that it answered with 429. Then the retry is a second request.
  return outcome.repeated
    ? notChecked(`a response without a 429 before it; it was ${describeIt(outcome)}`)
    : broken(describeIt(outcome), expected);
}
