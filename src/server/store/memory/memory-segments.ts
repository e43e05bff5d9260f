import type { SegmentRecord } from '../../model/records.js';
import type { SegmentStore } from '../segment-store.js';

/** One workspace's segments in memory. */
export class MemorySegments implements SegmentStore {
  readonly #byId: Map<string, SegmentRecord>;

  constructor(segments: readonly SegmentRecord[]) {
    this.#byId = new Map(segments.map((segment) => [segment.id, segment]));
  }

  async list(): Promise<readonly SegmentRecord[]> {
    return this.all();
  }

  async find(segmentId: string): Promise<SegmentRecord | undefined> {
    return this.#byId.get(segmentId);
  }

  async put(segment: SegmentRecord): Promise<void> {
    this.#byId.set(segment.id, segment);
  }

  async delete(segmentId: string): Promise<boolean> {
    return this.#byId.delete(segmentId);
  }

  all(): readonly SegmentRecord[] {
    return [...this.#byId.values()];
  }
}
