import type { WorkspaceStore } from '../../../../src/server/store/store.js';
import { type Altered, altered } from '../altered-store.js';
import type { BrokenStore } from './broken-store.js';
import { latestClaims } from './latest-claims.js';

export const brokenEvents: readonly BrokenStore[] = [
  [
    'does not look whether it has taken an event in',
    'events: are taken in for the contacts there are',
    altered((kept) => ({
      root: {
        async recordEvent(event) {
          await kept.recordEvent(event);
          return true;
        },
      },
    })),
  ],
  [
    'lists events by their contacts',
    'events: are listed and claimed oldest first, whoever they are of',
    altered((kept) => ({
      events: {
        list: async () =>
          [...(await kept.events.list())].sort((a, b) => a.contactId.localeCompare(b.contactId)),
      },
    })),
  ],
  [
    'gives an event to two claimers',
    'events: are claimed by one only, however many claim at once',
    altered((kept) => ({
      events: {
        async claimNext() {
          const { events, waitingEventIds } = await kept.readState();
          const claimed = await kept.events.claimNext();
          const event = events.find(({ id }) => id === waitingEventIds[0]);
          return event && { event, claim: claimed?.claim ?? { id: event.id, token: '' } };
        },
      },
    })),
  ],
  [
    'says that it has completed whatever it is told to',
    'events: are completed once, and only when they were claimed',
    altered((kept) => ({
      root: {
        async completeEvent(claim, runs) {
          await kept.completeEvent(claim, runs);
          return true;
        },
      },
    })),
  ],
  [
    'counts events before they are processed',
    'events: are counted by contact and name, once they were processed',
    altered((kept) => ({
      events: {
        async count(contactId, event, since) {
          const events = await kept.events.list();
          return events.filter(
            (each) => each.contactId === contactId && each.event === event && each.acceptedAt > since,
          ).length;
        },
      },
    })),
  ],
  [
    'counts the events of the instant after which to count',
    'events: are counted from after an instant, in whatever order they were processed',
    altered((kept) => ({
      events: { count: (contactId, event, since) => kept.events.count(contactId, event, since - 1) },
    })),
  ],
  [
    'completes an event with a stale claim',
    'events: whose lease runs out are claimed again, oldest first, and only the latest claim completes them',
    altered((kept) => {
      const latest = latestClaims();
      return {
        events: { claimNext: async () => latest.note(await kept.events.claimNext()) },
        root: { completeEvent: (claim, runs) => kept.completeEvent(latest.of(claim), runs) },
      };
    }),
  ],
  [
    'keeps an event that was given back',
    'events: that were given back can be claimed again, and only by a claim of their own',
    altered(() => ({ events: { release: async () => {} } })),
  ],
  [
    'claims the event again that was claimed least lately',
    'events: that are abandoned again are claimed oldest first, whoever claimed which last',
    altered((kept) => {
      const turns: string[] = [];
      return {
        events: {
          async claimNext() {
            const claimed = await kept.events.claimNext();
            const next = (await kept.events.list()).find(({ id }) => !turns.includes(id));
            if (claimed === undefined || next === undefined) return claimed;
            turns.push(next.id);
            return { ...claimed, event: next };
          },
        },
      };
    }),
  ],
  [
    'leaves the events of a deleted contact behind',
    'events: go with their contact: those that wait, those that are claimed, and those that count',
    altered(leavesEventsBehind),
  ],
  [
    'takes an event in after it has looked for its contact',
    'events: of a contact that is deleted meanwhile are taken in and gone, or not taken in',
    altered(takesEventsOfTheDeletedIn),
  ],
];

function leavesEventsBehind(kept: WorkspaceStore): Altered {
  return {
    root: {
      async deleteContact(contactId) {
        const { events } = await kept.readState();
        const deleted = await kept.deleteContact(contactId);
        await kept.replaceState({ ...(await kept.readState()), events });
        return deleted;
      },
    },
  };
}

/** Looks for the contact in one step and adds the event in another. */
function takesEventsOfTheDeletedIn(kept: WorkspaceStore): Altered {
  return {
    root: {
      async recordEvent(event) {
        const known = await kept.contacts.findById(event.contactId);
        if (known === undefined || (await kept.recordEvent(event))) return known !== undefined;
        const state = await kept.readState();
        const waitingEventIds = [...state.waitingEventIds, event.id];
        await kept.replaceState({ ...state, events: [...state.events, event], waitingEventIds });
        return true;
      },
    },
  };
}
