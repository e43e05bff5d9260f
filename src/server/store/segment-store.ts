import type { SegmentRecord } from '../model/records.js';

/** The segments of a workspace. Their members are computed, not stored. */
export interface SegmentStore {
  /** Returns all segments in the order of their addition. */
  list(): Promise<readonly SegmentRecord[]>;
  find(segmentId: string): Promise<SegmentRecord | undefined>;
  /** Adds the segment at the end, or replaces the one with its id. */
  put(segment: SegmentRecord): Promise<void>;
  /** Deletes the segment. False if it does not exist. */
  delete(segmentId: string): Promise<boolean>;
}
