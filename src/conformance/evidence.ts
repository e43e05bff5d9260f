import type { Statement } from '../contract/statements.js';
import { differences } from './comparison.js';
import {
  describe,
  describeNeed,
  describeStatus,
  type NotRequested,
  notRequested,
  type OptionName,
  type Outcome,
  type ReceivedResponse,
} from './exchange/outcome.js';
import type { ConformanceCheck } from './report.js';

/** What one observation says about a statement. */
export type Judgement =
  | { readonly verdict: 'held'; readonly seen: string }
  | { readonly verdict: 'broken'; readonly seen: string; readonly expected: string }
  | { readonly verdict: 'not_checked'; readonly seen: string; readonly option?: OptionName };

/** `held` if there are no problems, otherwise `broken`. */
export function holds(problems: boolean | readonly string[], seen: string, expected: string): Judgement {
  if (typeof problems !== 'boolean' && problems.length > 0) seen = [...new Set(problems)].join(', ');
  return problems === true || (typeof problems !== 'boolean' && problems.length === 0)
    ? { verdict: 'held', seen }
    : { verdict: 'broken', seen, expected };
}

/** `not_checked`, with what the check needs. */
export function notChecked(missing: NotRequested | string): Judgement & { readonly verdict: 'not_checked' } {
  const need = typeof missing === 'string' ? notRequested(missing) : missing;
  const { option } = need;
  return { verdict: 'not_checked', seen: describeNeed(need), ...(option !== undefined && { option }) };
}

/** What an answer must be, as far as a statement says it. */
export interface WantedAnswer {
  /** A status, any success, or any refusal. Without it, only a success is compared: other statements judge the status. */
  readonly status?: number | 'a success' | 'a refusal';
  /** The values of the body, as `differences` compares them. */
  readonly body?: unknown;
  readonly problems?: (response: ReceivedResponse) => readonly string[];
  /** What the document requires, in words. Default: the status and the values that were asked. */
  readonly expected?: string;
  readonly described?: (outcome: Outcome) => string;
}

/** Compares an answer with what was asked. A request without a response breaks the statement, and one that was not made leaves it unchecked. */
export function judge(outcome: Outcome, wanted: WantedAnswer): Judgement {
  const { status, body, problems, described = body === undefined ? describeStatus : describe } = wanted;
  const expected =
    wanted.expected ?? [status, body && 'the values that were asked'].filter(Boolean).join(', with ');
  if (outcome.kind === 'not_requested') return notChecked(outcome);
  if (outcome.kind === 'no_response') return { verdict: 'broken', seen: describe(outcome), expected };
  if (status === undefined && !outcome.ok) return notChecked(`a success; it was ${describeStatus(outcome)}`);
  const isStatus =
    status === 'a success'
      ? outcome.ok
      : status === 'a refusal'
        ? !outcome.ok
        : [undefined, outcome.status].includes(status);
  const wrong = [
    ...(body === undefined || (status !== undefined && !outcome.ok) ? [] : differences(body, outcome.json)),
    ...(problems?.(outcome) ?? []),
  ];
  const seen = [(isStatus ? described : describe)(outcome), ...wrong.slice(0, shownProblems)].join('; ');
  if (isStatus && wrong.length === 0) return { verdict: 'held', seen };
  // The deployment may have processed a request that it answered with 429. Then the retry is a second request.
  return outcome.repeated
    ? notChecked(`a response without a 429 before it; it was ${seen}`)
    : { verdict: 'broken', seen, expected };
}

const shownProblems = 5;

/** What a run saw of each statement. A statement is held only if all of its evidence came and is right. */
export class Evidence {
  readonly #judgements = new Map<Statement, Judgement[]>();
  readonly #silences = new Map<string, string | NotRequested>();

  add(statement: Statement, ...judgements: readonly Judgement[]): void {
    const before = this.#judgements.get(statement) ?? [];
    this.#judgements.set(statement, [...before, ...judgements]);
  }

  /** Adds what the deployment does where the document shows nothing. */
  addSilence(subject: string, seen: string | NotRequested): void {
    this.#silences.set(subject, seen);
  }

  /** The checks of everything that was added since the last call. */
  take(): readonly ConformanceCheck[] {
    const checks = [
      ...[...this.#judgements].map(([statement, all]) => ({ ...placeOf(statement), ...verdictOn(all) })),
      ...[...this.#silences].map(([subject, seen]) => ({
        ...placeOf(subject),
        ...(typeof seen === 'string' ? { verdict: 'not_shown' as const, seen } : notChecked(seen)),
      })),
    ];
    this.#judgements.clear();
    this.#silences.clear();
    return checks;
  }
}

/** The verdict on a statement: one wrong observation breaks it, and one that is missing leaves it unchecked. */
function verdictOn(judgements: readonly Judgement[]): Judgement {
  const wrong = judgements.filter((judgement) => judgement.verdict === 'broken');
  const [first] = wrong;
  if (first !== undefined)
    return { ...first, seen: [...new Set(wrong.map(({ seen }) => seen))].slice(0, 3).join('; ') };
  const missing = judgements.filter((judgement) => judgement.verdict === 'not_checked');
  return (
    missing.find(({ option }) => option !== undefined) ??
    missing[0] ??
    judgements[0] ??
    notChecked('a request that shows it')
  );
}

/** A statement's section, and the rest of it. */
function placeOf(statement: string): Pick<ConformanceCheck, 'section' | 'statement'> {
  const [section = ''] = statement.split(' ');
  return { section, statement: statement.slice(section.length + 1) };
}
