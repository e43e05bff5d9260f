import { allOf } from '../model/page.js';
import type { EventRecord, JourneyRunRecord } from '../model/records.js';
import { orRelease } from '../store/store.js';
import type { WorkspaceContext } from './context.js';
import type { JourneySteps } from './journey-steps.js';

/**
 * The rules of journeys. The service's document only says that events can start journeys. Here, each event starts a run of
 * each journey with its name, and a run executes its steps in order, in the workspace's time.
 */
export class Journeys {
  readonly #context: WorkspaceContext;
  readonly #steps: JourneySteps;

  constructor(context: WorkspaceContext, steps: JourneySteps) {
    this.#context = context;
    this.#steps = steps;
  }

  /** Creates the runs that an event starts: one per journey. */
  async startedBy(event: EventRecord): Promise<readonly JourneyRunRecord[]> {
    const { store, environment } = this.#context;
    const startedAt = environment.clock.now();
    const journeys = await store.journeys.listStartedBy(event.event);
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

  /** Starts each run at once. */
  begin(runs: readonly JourneyRunRecord[]): void {
    for (const run of runs) {
      this.#context.record({ type: 'journey', at: run.startedAt, run });
      this.#schedule(run);
    }
  }

  /** Resumes each unfinished run after a restore. */
  async resume(): Promise<void> {
    const { journeys } = this.#context.store;
    for (const run of await allOf((range) => journeys.pageOfRuns(range))) this.#schedule(run);
  }

  #schedule({ id, status, dueAt }: JourneyRunRecord): void {
    if (status !== 'waiting') return;
    const { environment, startAt } = this.#context;
    if (dueAt > environment.clock.now()) startAt(dueAt, () => this.goOn(id));
    else this.goOn(id);
  }

  /** Starts the next step of a run, if it is due. Returns at once. */
  goOn(runId: string): void {
    this.#context.work.start(() => this.#takeStep(runId));
  }

  /**
   * Executes one step, and continues with the next. If the contact is deleted, its run no longer exists and cannot be
   * claimed or saved.
   */
  async #takeStep(runId: string): Promise<void> {
    const { store, environment, record } = this.#context;
    const claimed = await store.journeys.claimRun(runId, environment.clock.now());
    if (claimed === undefined) return;
    const run = await orRelease(
      async () => {
        const taken = await this.#steps.take(claimed.run);
        return taken && (await store.journeys.saveRun(claimed.claim, taken)) ? taken : undefined;
      },
      () => store.journeys.releaseRun(claimed.claim),
    );
    if (run === undefined) return;
    record({ type: 'journey', at: environment.clock.now(), run });
    this.#schedule(run);
  }
}
