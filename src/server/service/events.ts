import type { TrackBody, TrackResult } from '../../contract/event.js';
import type { ContactRecord, EventRecord } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import { orRelease } from '../store/store.js';
import { contactByPhone } from './contacts.js';
import type { WorkspaceContext } from './context.js';
import type { JourneyRules } from './journeys.js';

/** The rules of POST /v1/events. After the response, each event counts for segments and starts journeys. */
export class EventRules {
  readonly #context: WorkspaceContext;
  readonly #journeys: JourneyRules;

  constructor(context: WorkspaceContext, journeys: JourneyRules) {
    this.#context = context;
    this.#journeys = journeys;
  }

  /** @param requestId - The API request, for the journal. */
  async track(input: TrackBody, requestId?: string): Promise<TrackResult> {
    const { environment, record, store, work } = this.#context;
    const contact = await this.#contactOf(input);
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
    work.start(async () => void (await this.#processNext()));
    return { accepted: true };
  }

  /** Starts to process the waiting events. Returns at once. */
  startProcessing(): void {
    this.#context.work.start(() => this.resume());
  }

  /** Processes the waiting events after a restore. */
  async resume(): Promise<void> {
    while (await this.#processNext());
  }

  /** Finds the contact of an event. `trackSchema` ensures that the body has either its id or its phone. */
  async #contactOf({ contactId, phone = '' }: TrackBody): Promise<ContactRecord> {
    const { store } = this.#context;
    if (contactId === undefined) return contactByPhone(store, phone);
    const contact = await store.contacts.findById(contactId);
    if (contact !== undefined) return contact;
    throw new ServiceError('not_found', 'No contact of this workspace has this contactId.');
  }

  /** Processes the next waiting event. Segments count processed events, so they need no other step. */
  async #processNext(): Promise<boolean> {
    const { store } = this.#context;
    const claimed = await store.events.claimNext();
    if (claimed === undefined) return false;
    await orRelease(
      async () => {
        const runs = await this.#journeys.startedBy(claimed.event);
        if (await store.completeEvent(claimed.claim, runs)) this.#journeys.begin(runs);
      },
      () => store.events.release(claimed.claim),
    );
    return true;
  }
}
