import type { Consent, DeliveryRecord, EventRecord, JourneyRunRecord, SendRecord } from '../store/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import type { JournalEntry } from './entry.js';

/**
 * What has happened in a workspace so far.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }] });
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * await server.client.transactional.send({ phone: '+15551234567', templateId: 'welcome', variables: { '1': 'Ada' } });
 * const [send] = await server.journal.sends();
 * console.log(send?.text); // Welcome, Ada!
 * ```
 */
export interface Journal {
  /** Everything that happened, oldest first: the last 10,000 entries, with bodies of 64 MiB in all. */
  entries(): readonly JournalEntry[];
  /** The messages that were sent, oldest first. */
  sends(): Promise<readonly SendRecord[]>;
  /** The events that were tracked for the contacts there are, oldest first. */
  events(): Promise<readonly EventRecord[]>;
  /** The webhook deliveries with all their attempts, oldest first. */
  deliveries(): Promise<readonly DeliveryRecord[]>;
  /** The ways of contacts through journeys, oldest first. */
  journeyRuns(): Promise<readonly JourneyRunRecord[]>;
  /** The ids of the contacts in a segment. */
  segmentMembers(segmentId: string): Promise<readonly string[]>;
  /** A contact's consent; undefined where no contact has the phone. */
  consent(phone: string): Promise<Consent | undefined>;
  /** The conversations that are left to spend. */
  quota(): Promise<{ readonly quota: number; readonly addOnCredits: number }>;
}

/** The journal of a workspace, which may still be in the making. */
export function journalOf({ ready, history, services, context: { store } }: LiveWorkspace): Journal {
  /** Reads what the workspace holds, once it holds what its seed says. */
  const once = async <T>(read: () => Promise<T>): Promise<T> => {
    await ready;
    return read();
  };
  return {
    entries: () => history.entries(),
    sends: () => once(async () => (await store.listSends()).filter(({ status }) => status === 'sent')),
    events: () => once(() => store.listEvents()),
    deliveries: () => once(() => store.listDeliveries()),
    journeyRuns: () => once(() => store.listJourneyRuns()),
    segmentMembers: (segmentId) => once(() => services.segments.members(segmentId)),
    consent: (phone) => once(async () => (await store.findContactByPhone(phone))?.consent),
    quota: () => once(() => store.readQuota()),
  };
}
