import type { ConformanceRun } from './conformance-run.js';
import type { NotAsked } from './exchange/outcome.js';
import type { Judgement } from './judgement.js';
import type { ConformanceCheck } from './report.js';

/** A statement of the document, and how it is judged by what was seen. */
export interface Check<Seen> {
  readonly section: string;
  readonly statement: string;
  /**
   * What of the deployment's behaviour this statement alone is about. Each behaviour is judged by one check only:
   * where a check needs something that another one judges, and it is broken, this one is `not_checked`. So a
   * deployment with one fault has one broken statement.
   */
  judge(seen: Seen): Judgement;
}

/** Something that the document is silent about, and what was seen of it, or why nothing was. */
export interface Silence<Seen> {
  readonly section: string;
  readonly statement: string;
  see(seen: Seen): string | NotAsked;
}

/** The statements of one part of the document: the requests that show them, and how each is judged. */
export interface CheckGroup {
  check(run: ConformanceRun): Promise<readonly ConformanceCheck[]>;
}

export function checkGroup<Seen>({
  observe,
  checks,
  silences = [],
}: {
  readonly observe: (run: ConformanceRun) => Promise<Seen>;
  readonly checks: readonly Check<Seen>[];
  readonly silences?: readonly Silence<Seen>[];
}): CheckGroup {
  return {
    async check(run) {
      const seen = await observe(run);
      return [
        ...checks.map(({ section, statement, judge }) => ({ section, statement, ...judge(seen) })),
        ...silences.map(({ section, statement, see }) => ({ section, statement, ...told(see(seen)) })),
      ];
    },
  };
}

function told(seen: string | NotAsked): Pick<ConformanceCheck, 'verdict' | 'seen'> {
  return typeof seen === 'string'
    ? { verdict: 'not_shown', seen }
    : { verdict: 'not_checked', seen: seen.why };
}
