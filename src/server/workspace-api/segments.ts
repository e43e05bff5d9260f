import { segmentAsSeed } from '../seed/as-seed.js';
import { segmentRecord } from '../seed/parse-seed.js';
import { type SegmentSeed, segmentSeedSchema } from '../seed/segment-seed.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';
import { whenOpen } from './when-open.js';

/**
 * Lists, adds, replaces and removes the segments of a workspace. The server computes the members from the contacts and
 * events, so a new segment has its members at once.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const { id } = await server.client.contacts.upsert({ phone: '+15551234567', properties: { city: 'Paris' } });
 * await server.segments.put({ id: 'parisians', where: [{ property: 'city', equals: 'Paris' }] });
 * console.log((await server.journal.segmentMembers('parisians'))[0] === id); // true
 * ```
 */
export interface WorkspaceSegments {
  /** Returns all segments in the order of their addition. Times have their largest unit: `24h` becomes `1d`. */
  list(): Promise<readonly SegmentSeed[]>;
  /**
   * Adds a segment, or replaces the segment with the same id.
   *
   * @returns The segment as `list` returns it.
   * @throws ConfigurationError that names each invalid field.
   */
  put(segment: SegmentSeed): Promise<SegmentSeed>;
  /** Removes a segment. False if no segment has the id. A journey branch on a removed segment takes `else`. */
  remove(segmentId: string): Promise<boolean>;
}

export function segmentsOf(live: LiveWorkspace): WorkspaceSegments {
  const { store } = live.context;
  return whenOpen(live, {
    list: async () => (await store.segments.list()).map(segmentAsSeed),
    async put(segment) {
      const record = segmentRecord(checked(segmentSeedSchema, 'The segment', segment));
      await store.segments.put(record);
      return segmentAsSeed(record);
    },
    remove: (segmentId) => store.segments.delete(segmentId),
  });
}
