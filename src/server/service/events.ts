import type { TrackBody, TrackResult } from '../../contract/event.js';
import type { ContactRecord, EventRecord } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import { orRelease } from '../store/store.js';
import { contactByPhone } from './contacts.js';
import type { WorkspaceContext } from './context.js';
import type { Journeys } from './journeys.js';

/** The rules of POST /v1/events. After the response, each event counts for segments and starts journeys. */
export function createEvents({ environment, record, store, work }: WorkspaceContext, journeys: Journeys) {
  /** @param requestId - The API request, for the journal. */
  async function track(input: TrackBody, requestId?: string): Promise<TrackResult> {
    const contact = await contactOf(input);
    const event: EventRecord = {
      id: environment.newId('event'),
      contactId: contact.id,
      event: input.event,
      properties: input.properties ?? {},
      acceptedAt: environment.clock.now(),
    };
    if (!(await store.recordEvent(event))) {
      throw new ServiceError('not_found', 'The contact was deleted while its event was recorded.');
    }
    const cause = requestId !== undefined && { requestId };
    record({ type: 'event', at: event.acceptedAt, event, phone: contact.phone, ...cause });
    work.start(async () => void (await processNext()));
    return { accepted: true };
  }

  /** Starts to process the waiting events. Returns at once. */
  function startProcessing(): void {
    work.start(() => resume());
  }

  /** Processes the waiting events after a restore. */
  async function resume(): Promise<void> {
    while (await processNext());
  }

  /** Finds the contact of an event. `trackSchema` ensures that the body has either its id or its phone. */
  async function contactOf({ contactId, phone = '' }: TrackBody): Promise<ContactRecord> {
    if (contactId === undefined) return contactByPhone(store, phone);
    const contact = await store.contacts.findById(contactId);
    if (contact !== undefined) return contact;
    throw new ServiceError('not_found', 'No contact of this workspace has this contactId.');
  }

  /** Processes the next waiting event. Segments count processed events, so they need no other step. */
  async function processNext(): Promise<boolean> {
    const claimed = await store.events.claimNext();
    if (claimed === undefined) return false;
    await orRelease(
      async () => {
        const runs = await journeys.startedBy(claimed.event);
        if (await store.completeEvent(claimed.claim, runs)) journeys.begin(runs);
      },
      () => store.events.release(claimed.claim),
    );
    return true;
  }

  return { track, startProcessing, resume };
}
