import type { Statement } from '../contract/statements.js';
import type { ConformanceRun } from './conformance-run.js';
import type { NotRequested } from './exchange/outcome.js';
import { type Judgement, notChecked } from './judgement.js';
import type { ConformanceCheck } from './report.js';

/** A statement of the document, and the function that judges it from the observed requests. */
export interface Check<Observed> {
  readonly statement: Statement;
  /**
   * Only one check judges each behaviour. If a check needs something that another check found broken, it is `not_checked`, so that
   * a deployment with one fault has one broken statement.
   */
  judge(observed: Observed): Judgement;
}

/** A behaviour that the document does not show, and the function that describes what the deployment did. */
export interface Silence<Observed> {
  /** The section and the subject, as in "§4 The response of find". */
  readonly statement: string;
  see(observed: Observed): string | NotRequested;
}

/** The checks of one part of the document. */
export interface CheckGroup {
  check(run: ConformanceRun): Promise<readonly ConformanceCheck[]>;
}

export function checkGroup<Observed>({
  observe,
  checks,
  silences = [],
}: {
  readonly observe: (run: ConformanceRun) => Promise<Observed>;
  readonly checks: readonly Check<Observed>[];
  readonly silences?: readonly Silence<Observed>[];
}): CheckGroup {
  return {
    async check(run) {
      const observed = await observe(run);
      return [
        ...checks.map(({ statement, judge }) => ({ ...placeOf(statement), ...judge(observed) })),
        ...silences.map(({ statement, see }) => ({ ...placeOf(statement), ...verdictOf(see(observed)) })),
      ];
    },
  };
}

/** A statement's section, and the rest of it. */
function placeOf(statement: string): Pick<ConformanceCheck, 'section' | 'statement'> {
  const [section = ''] = statement.split(' ');
  return { section, statement: statement.slice(section.length + 1) };
}

function verdictOf(seen: string | NotRequested): Pick<ConformanceCheck, 'verdict' | 'seen' | 'option'> {
  return typeof seen === 'string' ? { verdict: 'not_shown', seen } : notChecked(seen);
}
