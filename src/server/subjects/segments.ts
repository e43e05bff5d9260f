import { segmentAsSeed } from '../seed/as-seed.js';
import { segmentRecord } from '../seed/parse-seed.js';
import { type SegmentSeed, segmentSeedSchema } from '../seed/segment-seed.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { change } from './change.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';

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
export type WorkspaceSegments = {
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
};

export function segmentsOf(live: LiveWorkspace): WorkspaceSegments {
  const { store } = live.context;
  const known = async (segmentId: string) => {
    const segment = await store.segments.find(segmentId);
    return segment && segmentAsSeed(segment);
  };
  return {
    list: () => run(live, async () => (await store.segments.list()).map(segmentAsSeed)),
    async put(segment) {
      const seed = checked(segmentSeedSchema, 'The segment', segment);
      const record = segmentRecord(seed);
      const before = () => known(seed.id);
      return change(live, { operation: 'segments.put', given: [seed], before }, async () => {
        await store.segments.put(record);
        return segmentAsSeed(record);
      });
    },
    remove(segmentId) {
      const before = () => known(segmentId);
      return change(live, { operation: 'segments.remove', given: [segmentId], before }, () =>
        store.segments.delete(segmentId),
      );
    },
  };
}

export const segmentsOperations = ({ listOf }: typeof Shapes) => ({
  list: operation('segments.list', 'GET', '/control/segments', {
    summary: 'Lists the segments.',
    result: listOf(segmentSeedSchema),
    rule: async (live) => ({ data: await segmentsOf(live).list() }),
  }),
  put: operation('segments.put', 'PUT', '/control/segments', {
    summary: 'Adds a segment, or replaces the segment with the same id.',
    body: segmentSeedSchema,
    result: segmentSeedSchema,
    rule: (live, { body }) => segmentsOf(live).put(body),
  }),
  remove: operation('segments.remove', 'DELETE', '/control/segments/:id', {
    summary: 'Removes a segment. A journey branch on a removed segment takes `else`.',
    refusals: { 404: 'No segment has this id.' },
    rule: (live, { path }) => segmentsOf(live).remove(path.id),
  }),
});
