import type { EventEntry } from '../model/journal-entry.js';
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
 * const filter: EventFilter = { event: 'order_placed', contact: '+15551234567' };
 * ```
 */
export interface EventFilter {
  readonly event?: string | undefined;
  /** The contact's id or phone. */
  readonly contact?: string | undefined;
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
    find: (filter = {}) => matchesIn(live.history, wantedEvent(filter)).map(({ event }) => event),
    waitFor: async (filter = {}, options = {}) => (await waitFor(live, wantedEvent(filter), options)).event,
  };
}

/** What a filter means. */
export function wantedEvent(filter: EventFilter): Wanted<EventEntry> {
  const { event, contact } = filter;
  const criteria = asked<EventEntry>(filter, {
    event: { name: 'event', wanted: event, actual: (entry) => entry.event.event },
    contact: {
      name: 'contact',
      wanted: contact,
      actual: (entry) => (contact?.startsWith('+') ? entry.phone : entry.event.contactId),
    },
  });
  return {
    subject: criteria.length === 0 ? 'tracked event' : `tracked event with ${inWords(criteria)}`,
    select: (entry) => (entry.type === 'event' ? entry : undefined),
    differences: (entry) => differencesOf(criteria, entry),
    describe: (entry) => `${JSON.stringify(entry.event.event)} of ${entry.event.contactId}`,
  };
}
