import type { EventEntry } from '../model/journal-entry.js';
import type { Page, PageRange } from '../model/page.js';
import type { EventRecord } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { operation } from './operation.js';
import { named, pageWithin, type ReadOptions } from './pages.js';
import type * as Shapes from './shapes.js';
import { contactField, currentMatches, type WaitOptions, type Wanted, waitFor, wantedBy } from './wait.js';

/** Selects tracked events. An event must match every field that is set. */
export type EventFilter = {
  readonly event?: string | undefined;
  /** The contact's id or phone. */
  readonly contact?: string | undefined;
};

/**
 * Finds the tracked events of a workspace, and waits for them.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * await server.client.events.track({ event: 'order_placed', phone: '+15551234567', properties: { total: 12 } });
 * const { properties } = await server.events.waitFor({ event: 'order_placed' });
 * console.log(properties.total); // 12
 * ```
 */
export type WorkspaceEvents = {
  /** Returns the events in the journal that match, oldest first. */
  find(filter?: EventFilter): Promise<readonly EventRecord[]>;
  /**
   * Waits for the first event that matches, or the nth. Events before the call count too.
   *
   * @throws WaitTimeoutError that lists the closest events.
   */
  waitFor(filter?: EventFilter, options?: WaitOptions): Promise<EventRecord>;
};

export function eventsOf(live: LiveWorkspace): WorkspaceEvents {
  return {
    find: async (filter = {}) => (await currentMatches(live, wantedEvent(filter))).map(({ event }) => event),
    waitFor: async (filter = {}, options = {}) => (await waitFor(live, wantedEvent(filter), options)).event,
  };
}

/** Describes the tracked events that a filter selects. */
function wantedEvent(filter: EventFilter): Wanted<EventEntry> {
  const fields = {
    event: { name: 'event', of: ({ event }: EventEntry) => event.event },
    contact: contactField<EventEntry>(filter?.contact, ({ phone, event: { contactId } }) => ({
      phone,
      contactId,
    })),
  };
  return wantedBy('tracked event', filter, fields, {
    select: (entry) => (entry.type === 'event' ? entry : undefined),
    describe: ({ event }) => `${JSON.stringify(event.event)} of ${event.contactId}`,
  });
}

async function readEvents(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: EventFilter & ReadOptions,
): Promise<Page<EventRecord>> {
  const { store } = live.context;
  const { event, contact } = filter;
  const read = async (range: PageRange) => {
    // Looked up at each read, because the contact may be created during the wait.
    const { phone, contactId } = named(contact);
    const known = phone === undefined ? { id: contactId } : await store.contacts.findByPhone(phone);
    if (known === undefined) return { data: [], more: false, cursor: String(range.after) };
    return store.events.page({ event, contactId: known.id }, range);
  };
  return pageWithin(live, wantedEvent(filter), read, { limit, cursor, wait, gone });
}

export const eventsOperations = ({ text, optional, contact, waiting, waits, ...shapes }: typeof Shapes) => ({
  find: operation('events.find', 'GET', '/control/events', {
    summary:
      'Lists the tracked events of all current contacts, oldest first. `wait` waits for the first that matches.',
    query: { contact, event: optional(text, 'The name of the event.'), ...waiting },
    result: shapes.pageOfMany(shapes.eventSchema),
    refusals: waits,
    rule: (live, { query, request: { gone } }) => readEvents(live, { ...query, gone }),
  }),
});
