import type { EventRecord, JourneyRunRecord } from '../store/records.js';
import type { WorkspaceContext } from '../workspace/context.js';

/** The rules of journeys: §1, "Events can start journeys". The document shows nothing more of them. */
export class Journeys {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  /** The runs that an event starts, one for each journey that it is the beginning of. */
  async startedBy(event: EventRecord): Promise<readonly JourneyRunRecord[]> {
    const { store, environment } = this.#context;
    const startedAt = environment.clock.now();
    const journeys = (await store.listJourneys()).filter((journey) => journey.event === event.event);
    return journeys.map((journey) => ({
      id: environment.newId('journey_run'),
      journeyId: journey.id,
      contactId: event.contactId,
      eventId: event.id,
      eventProperties: event.properties,
      startedAt,
      status: 'waiting',
      position: 0,
      dueAt: startedAt,
    }));
  }

  /** Has each run take its steps, the first of them now. */
  begin(runs: readonly JourneyRunRecord[]): void {
    for (const run of runs) this.#schedule(run);
  }

  /** Goes on with the runs that wait, for a workspace that was put back to an earlier state. */
  async resume(): Promise<void> {
    const runs = await this.#context.store.listJourneyRuns();
    this.begin(runs.filter(({ status }) => status === 'waiting'));
  }

  #schedule(_run: JourneyRunRecord): void {
    // TODO(journeys)
  }
}
