import type { TrackBody, TrackResult } from '../../contract/event.js';
import type { Work } from '../control/work.js';
import type { Environment } from '../environment.js';
import type { EventRecord } from '../store/records.js';
import type { WorkspaceStore } from '../store/store.js';
import { contactById, contactByPhone } from './contacts.js';
import { invalidRequest, ServiceError } from './service-error.js';

/** The rules of tracked events: §4 POST /v1/events. They feed segments after the answer. */
export class Events {
  readonly #environment: Environment;
  readonly #work: Work;

  constructor(environment: Environment, work: Work) {
    this.#environment = environment;
    this.#work = work;
  }

  async track(workspace: WorkspaceStore, input: TrackBody): Promise<TrackResult> {
    const contactId = await contactOf(workspace, input);
    const recorded = await workspace.recordEvent({
      id: this.#environment.newId('event'),
      contactId,
      event: input.event,
      properties: input.properties ?? {},
      acceptedAt: this.#environment.clock.now(),
    });
    if (!recorded)
      throw new ServiceError('not_found', 'The contact was deleted while its event was recorded.');
    this.#work.start(() => processNextEvent(workspace));
    return { accepted: true };
  }
}

async function contactOf(workspace: WorkspaceStore, input: TrackBody): Promise<string> {
  if (input.contactId !== undefined) return (await contactById(workspace, input.contactId)).id;
  if (input.phone !== undefined) return (await contactByPhone(workspace, input.phone)).id;
  throw invalidRequest([{ field: 'contactId', message: 'is required where there is no phone' }]);
}

async function processNextEvent(workspace: WorkspaceStore): Promise<void> {
  const event = await workspace.claimNextEvent();
  if (event === undefined) return;
  await workspace.completeEvent(event.id, await segmentsFedBy(workspace, event));
}

async function segmentsFedBy(workspace: WorkspaceStore, event: EventRecord): Promise<readonly string[]> {
  const candidates = (await workspace.listSegments()).filter((segment) => segment.event === event.event);
  if (candidates.length === 0) return [];
  const count = await workspace.countEvents(event.contactId, event.event);
  return candidates.filter((segment) => count >= segment.atLeast).map((segment) => segment.id);
}
