import type { SegmentRecord } from '../model/records.js';

/** The segments of a workspace. Who is in one is a rule, not a record. */
export interface SegmentStore {
  /** In the order in which the workspace was given them. */
  list(): Promise<readonly SegmentRecord[]>;
  find(segmentId: string): Promise<SegmentRecord | undefined>;
  /** Adds the segment, or replaces the one with its id. */
  put(segment: SegmentRecord): Promise<void>;
  /** False where there is none. */
  delete(segmentId: string): Promise<boolean>;
}
