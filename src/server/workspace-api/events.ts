import type { EventEntry } from '../model/journal-entry.js';
import type { EventRecord } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { asked, differencesOf, inWords } from './filter.js';
import { currentMatches, type WaitOptions, type Wanted, waitFor } from './wait.js';

/** Selects tracked events. An event must match every field that is set. */
export interface EventFilter {
  readonly event?: string | undefined;
  /** The contact's id or phone. */
  readonly contact?: string | undefined;
}

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
export interface WorkspaceEvents {
  /** Returns the events in the journal that match, oldest first. */
  find(filter?: EventFilter): Promise<readonly EventRecord[]>;
  /**
   * Waits for the first event that matches, or the nth. Events before the call count too.
   *
   * @throws WaitTimeoutError that lists the closest events.
   */
  waitFor(filter?: EventFilter, options?: WaitOptions): Promise<EventRecord>;
}

export function eventsOf(live: LiveWorkspace): WorkspaceEvents {
  return {
    find: async (filter = {}) => (await currentMatches(live, wantedEvent(filter))).map(({ event }) => event),
    waitFor: async (filter = {}, options = {}) => (await waitFor(live, wantedEvent(filter), options)).event,
  };
}

/** Turns a filter into criteria. */
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
