import type { Page, PageRange } from '../../model/page.js';
import type { JourneyRecord, JourneyRunRecord } from '../../model/records.js';
import type { Claim, ClaimedRun, JourneyStore } from '../store.js';
import { Claims, type KeptOptions, NumberedRecords, RecordsById, Retention } from './kept-records.js';

/** One workspace's journeys in memory, and the runs through them. */
export class MemoryJourneys extends RecordsById<JourneyRecord> implements JourneyStore {
  readonly #runs: NumberedRecords<JourneyRunRecord>;
  readonly #ofContacts = new Map<string, Set<string>>();
  readonly #claims: Claims;
  readonly #over = new Retention();

  constructor(options: KeptOptions) {
    super(options);
    this.#runs = new NumberedRecords(options, (run) => JSON.stringify(run).length);
    this.#claims = new Claims(options);
  }

  /** Replaces all runs. */
  loadRuns(runs: readonly JourneyRunRecord[]): void {
    for (const kept of [this.#runs, this.#ofContacts, this.#claims, this.#over]) kept.clear();
    for (const run of runs) this.addRun(run);
  }

  async listStartedBy(event: string): Promise<readonly JourneyRecord[]> {
    return this.all().filter((journey) => journey.event === event);
  }

  get forgotten(): number {
    return this.#over.forgotten;
  }

  addRun(run: JourneyRunRecord): void {
    this.#runs.set(run);
    const ofContact = this.#ofContacts.get(run.contactId);
    if (ofContact === undefined) this.#ofContacts.set(run.contactId, new Set([run.id]));
    else ofContact.add(run.id);
    this.#forgetOld(run);
  }

  async claimRun(runId: string, now: number): Promise<ClaimedRun | undefined> {
    const run = this.#runs.get(runId);
    if (run?.status !== 'waiting' || run.dueAt > now || this.#claims.isHeld(runId)) return undefined;
    return { claim: this.#claims.claim(runId), run };
  }

  async saveRun(claim: Claim, run: JourneyRunRecord): Promise<boolean> {
    if (!this.#claims.settle(claim)) return false;
    this.#runs.set(run);
    this.#forgetOld(run);
    return true;
  }

  async releaseRun(claim: Claim): Promise<void> {
    this.#claims.settle(claim);
  }

  deleteRunsOf(contactId: string): void {
    for (const runId of this.#ofContacts.get(contactId) ?? []) this.#delete(runId);
    this.#ofContacts.delete(contactId);
  }

  async pageOfRuns(range: PageRange): Promise<Page<JourneyRunRecord>> {
    return this.#runs.page(() => true, range);
  }

  allRuns(): readonly JourneyRunRecord[] {
    return this.#runs.all();
  }

  #forgetOld(run: JourneyRunRecord): void {
    if (run.status === 'waiting') return;
    const forgotten = this.#runs.get(this.#over.add(run.id) ?? '');
    if (forgotten === undefined) return;
    this.#delete(forgotten.id);
    const ofContact = this.#ofContacts.get(forgotten.contactId);
    ofContact?.delete(forgotten.id);
    if (ofContact?.size === 0) this.#ofContacts.delete(forgotten.contactId);
  }

  #delete(runId: string): void {
    this.#runs.delete(runId);
    this.#claims.drop(runId);
    this.#over.delete(runId);
  }
}
