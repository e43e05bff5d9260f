import type { SegmentRecord } from '../model/records.js';
import type { EffectsOf } from './effects.js';

/** The segments of a workspace. Who is in one is a rule, not a record. */
export interface SegmentStore {
  /** In the order in which the workspace was given them. */
  list(): Promise<readonly SegmentRecord[]>;
  find(segmentId: string): Promise<SegmentRecord | undefined>;
  /** Adds the segment at the end, or puts it in the place of the one with its id. */
  put(segment: SegmentRecord): Promise<void>;
  /** False where there is no such segment. */
  delete(segmentId: string): Promise<boolean>;
}

export const segmentEffects: EffectsOf<SegmentStore> = {
  list: 'reads',
  find: 'reads',
  put: 'writes',
  delete: 'writes',
};
