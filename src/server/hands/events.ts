import type { EventRecord } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { asked, differencesOf, inWords } from './filter.js';
import { matchesIn, type WaitOptions, type Wanted, waitFor } from './wait.js';

/**
 * Which tracked events are meant: those that are all that is said here.
 *
 * @example
 * ```ts
 * import type { EventFilter } from 'messaging-automation/server';
 *
 * const filter: EventFilter = { event: 'order_placed', contactId: 'contact_1' };
 * ```
 */
export interface EventFilter {
  readonly event?: string | undefined;
  readonly contactId?: string | undefined;
}

/**
 * The events that were tracked in a workspace, and those that will be.
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
export interface WorkspaceEvents {
  /** Those that match among the latest, oldest first. */
  find(filter?: EventFilter): readonly EventRecord[];
  /**
   * Resolves with the first that matches, or the nth, be it there or still to come.
   *
   * @throws WaitTimeoutError that names the near misses.
   */
  waitFor(filter?: EventFilter, options?: WaitOptions): Promise<EventRecord>;
}

export function eventsOf(live: LiveWorkspace): WorkspaceEvents {
  return {
    find: (filter = {}) => matchesIn(live.history, wanted(filter)),
    waitFor: async (filter = {}, options = {}) => waitFor(live, wanted(filter), options),
  };
}

function wanted(filter: EventFilter): Wanted<EventRecord> {
  const { event, contactId } = filter;
  const criteria = asked<EventRecord>(filter, {
    event: { name: 'event', wanted: event, actual: (record) => record.event },
    contactId: { name: 'contact', wanted: contactId, actual: (record) => record.contactId },
  });
  return {
    subject: criteria.length === 0 ? 'tracked event' : `tracked event with ${inWords(criteria)}`,
    select: (entry) => (entry.type === 'event' ? entry.event : undefined),
    differences: (record) => differencesOf(criteria, record),
    describe: (record) => `${JSON.stringify(record.event)} of ${record.contactId}`,
  };
}
