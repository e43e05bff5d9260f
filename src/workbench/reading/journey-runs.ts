import type { JourneyStepSeed } from '../../server/seed/journey-seed.js';
import type { EntryJson } from '../surface/entry.js';
import type { TakenStep } from './journey-path.js';

/** The steps that a run took, by their positions, as far as the journal says. */
export function stepsTaken(runId: string, entries: readonly EntryJson[]): ReadonlyMap<number, TakenStep> {
  const ofRun = entries.flatMap((entry) => (entry.type === 'journey' && entry.run.id === runId ? entry : []));
  return new Map(
    ofRun.slice(1).map(({ at, run }, index) => [ofRun[index]?.run.position ?? 0, { at, to: run.position }]),
  );
}

/** The names of the event's properties that the sends of a journey use. */
export function eventPropertiesIn(steps: readonly JourneyStepSeed[]): readonly string[] {
  const names = steps.flatMap((step) => {
    if ('wait' in step) return [];
    if ('branch' in step) return [...eventPropertiesIn(step.do ?? []), ...eventPropertiesIn(step.else ?? [])];
    return Object.values(step.variables ?? {}).flatMap((source) =>
      typeof source === 'object' && 'event' in source ? [source.event] : [],
    );
  });
  return [...new Set(names)];
}
