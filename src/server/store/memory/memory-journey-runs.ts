import type { JourneyRunRecord } from '../../model/records.js';
import { Retention } from './retention.js';

/** One workspace's journey runs in memory. */
export class MemoryJourneyRuns {
  readonly #runs = new Map<string, JourneyRunRecord>();
  readonly #ofContacts = new Map<string, Set<string>>();
  readonly #claimed = new Set<string>();
  readonly #over: Retention;

  constructor(kept: number, runs: readonly JourneyRunRecord[] = []) {
    this.#over = new Retention(kept);
    for (const run of runs) this.add(run);
  }

  get forgotten(): number {
    return this.#over.forgotten;
  }

  add(run: JourneyRunRecord): void {
    this.#runs.set(run.id, run);
    const ofContact = this.#ofContacts.get(run.contactId);
    if (ofContact === undefined) this.#ofContacts.set(run.contactId, new Set([run.id]));
    else ofContact.add(run.id);
    this.#forgetOld(run);
  }

  claim(runId: string, now: number): JourneyRunRecord | undefined {
    const run = this.#runs.get(runId);
    if (run?.status !== 'waiting' || run.dueAt > now || this.#claimed.has(runId)) return undefined;
    this.#claimed.add(runId);
    return run;
  }

  save(run: JourneyRunRecord): boolean {
    if (!this.#claimed.delete(run.id) || !this.#runs.has(run.id)) return false;
    this.#runs.set(run.id, run);
    this.#forgetOld(run);
    return true;
  }

  deleteOf(contactId: string): void {
    for (const runId of this.#ofContacts.get(contactId) ?? []) this.#delete(runId);
    this.#ofContacts.delete(contactId);
  }

  list(): readonly JourneyRunRecord[] {
    return [...this.#runs.values()];
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
    this.#claimed.delete(runId);
    this.#over.delete(runId);
  }
}
