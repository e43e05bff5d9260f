import type { Redact } from '../contract/redaction.js';
import type { Statement } from '../contract/statements.js';
import { differences } from './comparison.js';
import { describe, describeStatus } from './exchange/body.js';
import {
  type DeploymentResponse,
  type ExchangeOutcome,
  type NotChecked,
  needing,
} from './exchange/outcome.js';
import type { ConformanceCheck } from './report.js';

/** What one observation says about a statement, or about what the document does not show. */
export type Judgement =
  | { readonly verdict: 'held' | 'not_shown'; readonly seen: string }
  | { readonly verdict: 'broken'; readonly seen: string; readonly expected: string }
  | NotChecked;

/** A problem in words. `false` if there is none. */
export type Objection = string | false;

/** `held` if there are no problems, otherwise `broken`. */
export function holds(problems: readonly Objection[], seen: string, expected: string): Judgement {
  const wrong = problems.filter((problem) => problem !== false);
  if (wrong.length === 0) return { verdict: 'held', seen };
  return { verdict: 'broken', seen: [...new Set(wrong)].join(', '), expected };
}

/** What a response must be, as far as a statement says it. */
export interface WantedResponse {
  /** A status, any success, or any refusal. Without it, only a success is compared: other statements judge the status. */
  readonly status?: number | 'a success' | 'a refusal';
  /** The values of the body, as `differences` compares them. */
  readonly body?: unknown;
  readonly problems?: (response: DeploymentResponse) => readonly Objection[];
  /** What the document requires, in words. Default: the status and the values that were asked. */
  readonly expected?: string;
  readonly described?: (outcome: ExchangeOutcome) => string;
}

/** Compares a response with what was asked. A request without a response breaks the statement, and one that was not made leaves it unchecked. */
export function judge(outcome: ExchangeOutcome, wanted: WantedResponse): Judgement {
  const { status, body, problems, described = body === undefined ? describeStatus : describe } = wanted;
  const expected =
    wanted.expected ?? [status, body && 'the values that were asked'].filter(Boolean).join(', with ');
  if (outcome.kind === 'not_requested') return outcome;
  if (outcome.kind === 'no_response') return { verdict: 'broken', seen: describe(outcome), expected };
  if (status === undefined && !outcome.ok) return needing(`a success; it was ${describeStatus(outcome)}`);
  const isStatus = [outcome.status, outcome.ok ? 'a success' : 'a refusal', undefined].includes(status);
  const wrong = [
    ...(body === undefined || !outcome.ok ? [] : differences(body, outcome.json)),
    ...(problems?.(outcome) ?? []),
  ].filter((problem) => problem !== false);
  const seen = [(isStatus ? described : describe)(outcome), ...wrong.slice(0, shownProblems)].join('; ');
  if (isStatus && wrong.length === 0) return { verdict: 'held', seen };
  // The deployment may have processed a request that it refused with 429. Then the retry is a second request.
  return outcome.repeated
    ? needing(`a response without a 429 before it; it was ${seen}`)
    : { verdict: 'broken', seen, expected };
}

const shownProblems = 5;

const minute = 60_000;
const day = 24 * 60 * minute;

/** How far the clock of a deployment may be from that of the check, in milliseconds. */
const skew = 10 * minute;

/** What a run saw of each statement. A statement is held only if all of its evidence came and is right. */
export class Evidence {
  #judgements = new Map<string, readonly Judgement[]>();
  /** Whether a time of the deployment agreed with the clock of the check. */
  #isClockRight = false;

  /** Adds what was seen of a statement, or of a subject of which the document shows nothing. Each begins with its section. */
  saw(statement: string, ...judgements: readonly Judgement[]): void {
    this.#judgements.set(statement, [...(this.#judgements.get(statement) ?? []), ...judgements]);
  }

  /** Compares a response with what a statement says about it. */
  expect(statement: Statement, outcome: ExchangeOutcome, wanted: WantedResponse): void {
    this.saw(statement, judge(outcome, wanted));
  }

  /**
   * Judges a time of the deployment by the check's clock. A test may have moved the deployment's clock ahead, by a day or more: then the
   * time shows nothing, unless other times of the deployment agree with the check's clock.
   */
  judgeTime(time: number, now: number, expected: string): Judgement {
    const ahead = time - now;
    this.#isClockRight ||= Math.abs(ahead) <= skew;
    if (Math.abs(ahead) <= skew) return holds([], 'it is', expected);
    if (!this.#isClockRight && ahead >= day && ahead <= 3_653 * day)
      return needing('a deployment whose clock agrees with that of the check; its times are days ahead');
    return holds(['another time'], '', expected);
  }

  /**
   * Reports what the deployment does where the document shows nothing, in words or by its responses. If it was not asked, reports what
   * the requests need.
   */
  notShown(
    subject: string,
    shown: string | ExchangeOutcome | readonly ExchangeOutcome[],
    described = describe,
  ): void {
    const all = [shown].flat();
    const missing = all.filter((each) => typeof each === 'object' && each.kind === 'not_requested');
    const seen = all.map((each) => (typeof each === 'string' ? each : described(each))).join('; ');
    if (missing.length === all.length) this.saw(subject, ...missing);
    else this.saw(subject, { verdict: 'not_shown', seen });
  }

  /** The checks of everything that was added since the last call. */
  take(redact: Redact): readonly ConformanceCheck[] {
    const checks = [...this.#judgements].map(([text, judgements]) => {
      const { verdict, seen, expected, option } = verdictOn(judgements);
      return {
        section: text.slice(0, text.indexOf(' ')),
        statement: text.slice(text.indexOf(' ') + 1),
        verdict,
        seen: redact(seen),
        ...(expected !== undefined && { expected: redact(expected) }),
        ...(option !== undefined && { option }),
      };
    });
    this.#judgements = new Map();
    return checks;
  }
}

/** The verdict on a statement: one wrong observation breaks it, and one that is missing leaves it unchecked. */
function verdictOn(judgements: readonly Judgement[]): Omit<ConformanceCheck, 'section' | 'statement'> {
  const wrong = judgements.filter((judgement) => judgement.verdict === 'broken');
  const missing = judgements.filter((judgement) => judgement.verdict === 'not_checked');
  const [first] = [
    ...wrong.map((one) => ({
      ...one,
      seen: [...new Set(wrong.map(({ seen }) => seen))].slice(0, 3).join('; '),
    })),
    ...missing.filter(({ option }) => option !== undefined),
    ...missing,
    ...judgements,
  ];
  return first ?? needing('a request that shows it');
}
