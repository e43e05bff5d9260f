import type { PropertyCondition } from '../../server/model/records.js';
import type { SegmentSeed } from '../../server/seed/segment-seed.js';
import { lengthInWords } from './times.js';

/** The condition of a branch or of a segment, in words. */
export function conditionInWords(condition: PropertyCondition | { readonly segment: string }): string {
  if ('segment' in condition) return `in segment ${condition.segment}`;
  const { property } = condition;
  if ('exists' in condition) return condition.exists ? `${property} is set` : `${property} is not set`;
  if ('includes' in condition) return `${property} includes ${condition.includes}`;
  if ('atLeast' in condition) return `${property} is at least ${condition.atLeast}`;
  if ('below' in condition) return `${property} is below ${condition.below}`;
  return `${property} is ${[condition.equals].flat().join(', ')}`;
}

/** Who is in a segment, in words. */
export function segmentInWords(segment: SegmentSeed): string {
  if ('where' in segment) return segment.where.map(conditionInWords).join(' and ');
  const { event, atLeast = 1, within } = segment;
  const often = atLeast === 1 ? '' : ` at least ${atLeast} times`;
  return `${event}${often}${within === undefined ? '' : ` within ${lengthInWords(within)}`}`;
}
