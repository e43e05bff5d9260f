import {
  type Answer,
  describe,
  describeNeed,
  type NotAsked,
  notAsked,
  type Outcome,
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

/** The verdict of a check that was not possible: what it needs. */
export function notChecked(missing: NotAsked | string): Judgement & { readonly verdict: 'not_checked' } {
  const need = typeof missing === 'string' ? notAsked(missing) : missing;
  return {
    verdict: 'not_checked',
    seen: describeNeed(need),
    ...(need.option !== undefined && { option: need.option }),
  };
}

/** Judges an answer. A request without an answer breaks the statement. A request that was not made leaves it unchecked. */
export function judge(
  outcome: Outcome,
  expected: string,
  isSo: (answer: Answer) => boolean,
  describeIt: (outcome: Outcome) => string = describe,
): Judgement {
  if (outcome.kind === 'not_asked') return notChecked(outcome);
  if (outcome.kind === 'no_answer') return broken(describe(outcome), expected);
  if (isSo(outcome)) return holds(true, describeIt(outcome), expected);
  // The deployment may have carried out a request that it answered with 429. Then the repetition is a second request.
  return outcome.repeated
    ? notChecked(`an answer without a 429 before it; it was ${describeIt(outcome)}`)
    : broken(describeIt(outcome), expected);
}
