import type { JourneyRecord, JourneyStepRecord, SegmentRecord } from '../model/records.js';
import { inLargestUnit } from '../time/duration.js';
import type { JourneySeed, JourneyStepSeed } from './journey-seed.js';
import type { SegmentSeed } from './segment-seed.js';

/** Converts a segment to a seed, with its defaults filled in and its time in the largest unit. */
export function segmentAsSeed(segment: SegmentRecord): SegmentSeed {
  if ('where' in segment || segment.within === undefined) return segment;
  return { ...segment, within: inLargestUnit(segment.within) };
}

/** Converts a journey to a seed: reverses `compileJourney`. Each wait is in its largest unit. */
export function journeyAsSeed({ id, event, steps }: JourneyRecord): JourneySeed {
  return { id, event, steps: nested(steps, 0, steps.length) };
}

/** Nests the steps from the index `start` to the index before `end`. */
function nested(steps: readonly JourneyStepRecord[], start: number, end: number): readonly JourneyStepSeed[] {
  const found: JourneyStepSeed[] = [];
  for (let at = start; at < end; ) {
    const step = steps[at];
    at += 1;
    if (step?.kind === 'wait') found.push({ wait: inLargestUnit(step.duration) });
    if (step?.kind === 'send') {
      const { templateId, variables } = step;
      found.push({ send: templateId, ...(Object.keys(variables).length > 0 && { variables }) });
    }
    if (step?.kind === 'branch') {
      const { on, otherwise } = step;
      // A jump ends the steps of `do` where steps of `else` follow. These steps never end with another jump.
      const last = steps[otherwise - 1];
      const [doEnd, elseEnd] = last?.kind === 'jump' ? [otherwise - 1, last.to] : [otherwise, otherwise];
      const [holds, doesNotHold] = [nested(steps, at, doEnd), nested(steps, otherwise, elseEnd)];
      found.push({
        branch: on,
        ...(holds.length > 0 && { do: holds }),
        ...(doesNotHold.length > 0 && { else: doesNotHold }),
      });
      at = Math.max(at, elseEnd);
    }
  }
  return found;
}
