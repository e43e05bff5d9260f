import { segmentRecord } from '../seed/parse-seed.js';
import { type SegmentSeed, segmentSeedSchema } from '../seed/segment-seed.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';

/**
 * The segments of a workspace, in a test's hands. Who is in one follows from what the workspace holds, so a segment that
 * is added has its members at once.
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
  /** All of them. */
  list(): Promise<readonly SegmentSeed[]>;
  /**
   * Adds a segment, or puts it in the place of the one with its id.
   *
   * @throws TypeError that names what is wrong with it.
   */
  put(segment: SegmentSeed): Promise<SegmentSeed>;
  /** Takes a segment away. False where none has the id. A journey that asks for it is answered no. */
  remove(segmentId: string): Promise<boolean>;
}

export function segmentsOf({ opened, context: { store } }: LiveWorkspace): WorkspaceSegments {
  return {
    async list() {
      await opened();
      return store.segments.list();
    },
    async put(segment) {
      const record = segmentRecord(checked(segmentSeedSchema, 'The segment', segment));
      await opened();
      await store.segments.put(record);
      return record;
    },
    async remove(segmentId) {
      await opened();
      return store.segments.delete(segmentId);
    },
  };
}
