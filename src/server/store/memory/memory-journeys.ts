import type { Page, PageRange } from '../../model/page.js';
import type { JourneyRecord, JourneyRunRecord } from '../../model/records.js';
import type { Claim, ClaimedRun, JourneyStore } from '../store.js';
import { type KeptOptions, MemoryDefinitions, RecordsOfContacts } from './kept-records.js';

/** One workspace's journeys in memory, and the runs through them. */
export class MemoryJourneys extends MemoryDefinitions<JourneyRecord> implements JourneyStore {
  readonly runs: RecordsOfContacts<JourneyRunRecord>;

  constructor(options: KeptOptions) {
    super(options);
    this.runs = new RecordsOfContacts(
      options,
      (run) => JSON.stringify(run).length,
      ({ status }) => status !== 'waiting',
    );
  }

  async listStartedBy(event: string): Promise<readonly JourneyRecord[]> {
    return this.all().filter((journey) => journey.event === event);
  }

  async claimRun(runId: string, now: number): Promise<ClaimedRun | undefined> {
    const run = this.runs.get(runId);
    if (run?.status !== 'waiting' || run.dueAt > now || this.runs.isHeld(runId)) return undefined;
    return { claim: this.runs.claim(runId), run };
  }

  async saveRun(claim: Claim, run: JourneyRunRecord): Promise<boolean> {
    if (this.runs.settle(claim) === undefined) return false;
    this.runs.set(run);
    return true;
  }

  async releaseRun(claim: Claim): Promise<void> {
    this.runs.settle(claim);
  }

  deleteRunsOf(contactId: string): void {
    for (const { id } of this.runs.of(contactId)) this.runs.drop(id);
  }

  async pageOfRuns(range: PageRange): Promise<Page<JourneyRunRecord>> {
    return this.runs.page(() => true, range);
  }
}
