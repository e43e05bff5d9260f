import { type Answer, describe, type Outcome } from './exchange/outcome.js';

/** What was found of a statement. */
export type Judgement =
  | { readonly verdict: 'held'; readonly seen: string }
  | { readonly verdict: 'broken'; readonly seen: string; readonly expected: string }
  | { readonly verdict: 'not_checked'; readonly seen: string };

/** Held where it is so; broken where it is not, with what was expected. */
export function holds(isSo: boolean, seen: string, expected: string): Judgement {
  return isSo ? { verdict: 'held', seen } : { verdict: 'broken', seen, expected };
}

export function broken(seen: string, expected: string): Judgement {
  return { verdict: 'broken', seen, expected };
}

/** Nothing to judge by; `needs` says what would be needed. */
export function notChecked(needs: string): Judgement {
  return { verdict: 'not_checked', seen: needs };
}

/** Judges an answer. No answer is not what was expected; what was not asked is not judged. */
export function judge(
  outcome: Outcome,
  expected: string,
  isSo: (answer: Answer) => boolean,
  describeIt: (outcome: Outcome) => string = describe,
): Judgement {
  if (outcome.kind === 'not_asked') return notChecked(outcome.why);
  if (outcome.kind === 'no_answer') return broken(describe(outcome), expected);
  return holds(isSo(outcome), describeIt(outcome), expected);
}
