import type { EventRecord, JourneyRunRecord } from '../model/records.js';
import type { WorkspaceContext } from './context.js';
import type { JourneySteps } from './journey-steps.js';

/**
 * The rules of journeys: §1, "Events can start journeys". The document shows nothing more of them: here each event
 * starts a run of each journey of its name, and a run takes one step after the other in the workspace's time.
 */
export class Journeys {
  readonly #context: WorkspaceContext;
  readonly #steps: JourneySteps;

  constructor(context: WorkspaceContext, steps: JourneySteps) {
    this.#context = context;
    this.#steps = steps;
  }

  /** The runs that an event starts, one for each journey that it is the beginning of. */
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

  /** Has each run take its steps, the first of them now. */
  begin(runs: readonly JourneyRunRecord[]): void {
    for (const run of runs) {
      this.#context.record({ type: 'journey', at: run.startedAt, run });
      this.#schedule(run);
    }
  }

  /** Has each run go on that is not over, for a workspace that was put back to an earlier state. */
  async resume(): Promise<void> {
    for (const run of await this.#context.store.journeys.listRuns()) this.#schedule(run);
  }

  #schedule({ id, status, dueAt }: JourneyRunRecord): void {
    if (status !== 'waiting') return;
    const { environment, work } = this.#context;
    const takeSteps = () => work.start(() => this.#takeSteps(id));
    const delay = dueAt - environment.clock.now();
    if (delay > 0) environment.clock.setTimer(takeSteps, delay);
    else takeSteps();
  }

  /** Takes step after step, until one is not due yet. */
  async #takeSteps(runId: string): Promise<void> {
    const { environment, record } = this.#context;
    for (let run = await this.#takeStep(runId); run !== undefined; run = await this.#takeStep(runId)) {
      const now = environment.clock.now();
      record({ type: 'journey', at: now, run });
      if (run.status !== 'waiting' || run.dueAt > now) return this.#schedule(run);
    }
  }

  /**
   * Takes one step, and gives the run as it stands then. A run whose contact is deleted meanwhile is not there to be
   * claimed, or to be saved.
   */
  async #takeStep(runId: string): Promise<JourneyRunRecord | undefined> {
    const { store, environment } = this.#context;
    const claimed = await store.journeys.claimRun(runId, environment.clock.now());
    if (claimed === undefined) return undefined;
    const after = await this.#steps.take(claimed.run);
    return after !== undefined && (await store.journeys.saveRun(claimed.claim, after)) ? after : undefined;
  }
}
