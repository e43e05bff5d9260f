import type { JourneyRecord, JourneyStepRecord } from '../model/records.js';
import { toMilliseconds } from '../time/duration.js';
import type { JourneySeed, JourneyStepSeed } from './journey-seed.js';

/** Flattens the branches of a journey: the steps of `do` follow the branch, then the steps of `else`. */
export function compileJourney({ id, event, steps }: JourneySeed): JourneyRecord {
  return { id, event, steps: layOut(steps, 0) };
}

/** Flattens a list of steps whose first step gets the index `start`. */
function layOut(steps: readonly JourneyStepSeed[], start: number): readonly JourneyStepRecord[] {
  const laidOut: JourneyStepRecord[] = [];
  for (const step of steps) laidOut.push(...flat(step, start + laidOut.length));
  return laidOut;
}

function flat(step: JourneyStepSeed, at: number): readonly JourneyStepRecord[] {
  if ('wait' in step) return [{ kind: 'wait', duration: toMilliseconds(step.wait) }];
  if ('send' in step) return [{ kind: 'send', templateId: step.send, variables: step.variables ?? {} }];
  const holds = layOut(step.do ?? [], at + 1);
  const end = at + 1 + holds.length;
  if (step.else === undefined) return [{ kind: 'branch', on: step.branch, otherwise: end }, ...holds];
  const otherwise = end + 1;
  const doesNotHold = layOut(step.else, otherwise);
  return [
    { kind: 'branch', on: step.branch, otherwise },
    ...holds,
    { kind: 'jump', to: otherwise + doesNotHold.length },
    ...doesNotHold,
  ];
}
