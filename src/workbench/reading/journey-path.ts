import type { JourneySeed, JourneyStepSeed } from '../../server/seed/journey-seed.js';
import type { JourneyRunRecord } from '../surface/entry.js';
import { conditionInWords } from './conditions.js';
import { lengthInWords } from './times.js';

/** A step of a journey, with the position that a run which is to take it has. */
export interface PathStep {
  readonly kind: 'wait' | 'send' | 'branch';
  readonly position: number;
  readonly text: string;
  /** Where the value of each placeholder of a send comes from. */
  readonly variables?: readonly string[];
  /** The steps of a branch, if its condition holds and if not. */
  readonly holds?: readonly PathStep[];
  readonly otherwise?: readonly PathStep[];
}

/** The steps of a journey in words. Positions count as the server counts them: after `do` comes a jump over `else`. */
export function pathOf({ steps }: Pick<JourneySeed, 'steps'>): readonly PathStep[] {
  return layOut(steps, 0).path;
}

function layOut(steps: readonly JourneyStepSeed[], start: number) {
  const path: PathStep[] = [];
  let position = start;
  for (const step of steps) {
    if ('wait' in step) {
      path.push({ kind: 'wait', position, text: `wait ${lengthInWords(step.wait)}` });
      position += 1;
    } else if ('send' in step) {
      path.push({ kind: 'send', position, text: `send ${step.send}`, variables: variablesIn(step) });
      position += 1;
    } else {
      const holds = layOut(step.do ?? [], position + 1);
      const otherwise = layOut(step.else ?? [], holds.end + (step.else === undefined ? 0 : 1));
      const text = `if ${conditionInWords(step.branch)}`;
      path.push({ kind: 'branch', position, text, holds: holds.path, otherwise: otherwise.path });
      position = otherwise.end;
    }
  }
  return { path, end: position };
}

function variablesIn({ variables = {} }: Extract<JourneyStepSeed, { readonly send: string }>) {
  return Object.entries(variables).map(([number, source]) => {
    if (typeof source === 'string') return `{{${number}}} “${source}”`;
    return 'contact' in source
      ? `{{${number}}} ${source.contact} of the contact`
      : `{{${number}}} ${source.event} of the event`;
  });
}

/** The steps and those of their branches. */
function allIn(path: readonly PathStep[]): readonly PathStep[] {
  return path.flatMap((step) => [step, ...allIn(step.holds ?? []), ...allIn(step.otherwise ?? [])]);
}

/** What a run does next, in words: `send welcome`, or `end`. */
export function nextInWords(journey: Pick<JourneySeed, 'steps'> | undefined, position: number): string {
  if (journey === undefined) return 'end: the journey was removed';
  return allIn(pathOf(journey)).find((step) => step.position === position)?.text ?? 'end';
}

/** A step that a run took: when, and the position that it had afterwards. */
export interface TakenStep {
  readonly at: number;
  readonly to: number;
}

/** The branch that a run took. Undefined if it has not come there yet. */
export function branchTaken(
  { position, holds = [], otherwise = [] }: Pick<PathStep, 'position' | 'holds' | 'otherwise'>,
  past: ReadonlyMap<number, TakenStep>,
): 'yes' | 'no' | undefined {
  const to = past.get(position)?.to;
  if (to === undefined) return undefined;
  const [first] = holds;
  const isYes = first === undefined ? to !== otherwise[0]?.position : to === first.position;
  return isYes ? 'yes' : 'no';
}

/** What a step of a run did. Undefined for a send, which has an entry of its own, and where the journey does not say. */
export function stepInWords(
  before: JourneyRunRecord | undefined,
  { position, status, journeyId }: JourneyRunRecord,
  journey: Pick<JourneySeed, 'steps'> | undefined,
): { readonly did: string; readonly leftOut?: readonly string[] } | undefined {
  if (before === undefined) return { did: position === 0 ? `${journeyId} begins` : journeyId };
  const step = journey && allIn(pathOf(journey)).find((each) => each.position === before.position);
  if (step?.kind === 'branch') {
    const taken = branchTaken(step, new Map([[step.position, { at: 0, to: position }]]));
    const others = allIn((taken === 'yes' ? step.otherwise : step.holds) ?? []);
    const leftOut = others.flatMap(({ kind, text }) => (kind === 'send' ? text.slice('send '.length) : []));
    return { did: `${step.text}: ${taken}`, leftOut };
  }
  if (step?.kind === 'wait') return { did: step.text };
  return status === 'waiting' ? undefined : { did: journeyId };
}
