import type { ContactRecord, SegmentRecord } from '../store/records.js';
import type { WorkspaceContext } from '../workspace/context.js';

/**
 * The rules of segments: §1, "Events can … feed event-based segments". Who is in one follows from what the workspace
 * holds and from the time, so nothing has to be taken out of a segment when a window closes or a contact is deleted.
 */
export class Segments {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  /** The ids of the contacts in a segment; none where no segment has the id. */
  async members(segmentId: string): Promise<readonly string[]> {
    const segment = (await this.#context.store.listSegments()).find(({ id }) => id === segmentId);
    if (segment === undefined) return [];
    const members: string[] = [];
    for (const contact of await this.#context.store.listContacts()) {
      if (await this.#holds(segment, contact)) members.push(contact.id);
    }
    return members;
  }

  async #holds(segment: SegmentRecord, contact: ContactRecord): Promise<boolean> {
    if ('where' in segment) return false; // TODO(segments)
    const { event, atLeast, within } = segment;
    const since = within === undefined ? -Infinity : this.#context.environment.clock.now() - within;
    return (await this.#context.store.countEvents(contact.id, event, since)) >= atLeast;
  }
}
