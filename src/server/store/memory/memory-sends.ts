import type { Page, PageRange } from '../../model/page.js';
import type { QuotaChange, QuotaRecord, QuotaSource, SendRecord } from '../../model/records.js';
import type { Claim, ClaimedSend, NewSend, SendFields, SendOutcome, SendStore } from '../store.js';
import { Claims, hasFields, type KeptOptions, NumberedRecords, Retention } from './kept-records.js';

/** One workspace's sends and quota in memory. */
export class MemorySends implements SendStore {
  readonly #sends: NumberedRecords<SendRecord>;
  /** The latest send of each journey run, by the run's id. A run takes its steps in order, so only its latest can come again. */
  readonly #latestOfRuns = new Map<string, { readonly step: number; readonly sendId: string }>();
  readonly #claims: Claims;
  readonly #sent = new Retention();
  readonly #changed: () => void;
  #quota = 0;
  #addOnCredits = 0;

  constructor(options: KeptOptions) {
    this.#sends = new NumberedRecords(options, (send) => JSON.stringify(send).length);
    this.#claims = new Claims(options);
    this.#changed = options.changed;
  }

  /** Replaces the quota and all sends. */
  load({ quota, addOnCredits }: QuotaRecord, sends: readonly SendRecord[]): void {
    this.#quota = quota;
    this.#addOnCredits = addOnCredits;
    for (const kept of [this.#sends, this.#latestOfRuns, this.#claims, this.#sent]) kept.clear();
    for (const send of sends) this.#keep(send);
  }

  async readQuota(): Promise<QuotaRecord> {
    return { quota: this.#quota, addOnCredits: this.#addOnCredits };
  }

  async setQuota({ quota = this.#quota, addOnCredits = this.#addOnCredits }: QuotaChange) {
    this.#quota = quota;
    this.#addOnCredits = addOnCredits;
    this.#changed();
    return { quota, addOnCredits };
  }

  get forgotten(): number {
    return this.#sent.forgotten;
  }

  async begin(send: NewSend, step?: number): Promise<ClaimedSend | undefined> {
    const earlier = step === undefined ? undefined : this.#ofStep(String(send.journeyRunId), step);
    if (earlier?.status === 'sent') return undefined;
    if (earlier !== undefined) return { claim: this.#claims.claim(earlier.id), send: earlier };
    const paidBy = this.#spend();
    if (paidBy === undefined) return undefined;
    const begun: SendRecord = { ...send, status: 'pending', paidBy };
    this.#keep(begun);
    if (step !== undefined) this.#latestOfRuns.set(String(send.journeyRunId), { step, sendId: begun.id });
    return { claim: this.#claims.claim(begun.id), send: begun };
  }

  async findOfStep(journeyRunId: string, step: number): Promise<SendRecord | undefined> {
    return this.#ofStep(journeyRunId, step);
  }

  #ofStep(journeyRunId: string, step: number): SendRecord | undefined {
    const latest = this.#latestOfRuns.get(journeyRunId);
    return latest?.step === step ? this.#sends.get(latest.sendId) : undefined;
  }

  async settle(claim: Claim, outcome: SendOutcome): Promise<boolean> {
    const send = this.#sends.get(claim.id);
    if (send === undefined || !this.#claims.settle(claim)) return false;
    if (outcome.accepted) {
      // Numbered again, so that no page that shows a later send has skipped it.
      this.#sends.drop(send.id);
      this.#keep({ ...send, status: 'sent' });
      return true;
    }
    this.#drop(send.id);
    if (outcome.refund) this.#refund(send.paidBy);
    return true;
  }

  async claimAbandoned(): Promise<ClaimedSend | undefined> {
    const [expired] = this.#claims.expired(this.#sends.ids());
    const send = this.#sends.get(expired ?? '');
    return send && { claim: this.#claims.claim(send.id), send };
  }

  async page(fields: SendFields, range: PageRange): Promise<Page<SendRecord>> {
    return this.#sends.page((send) => hasFields(send, fields), range);
  }

  /** Returns the quota and the sends as if the pending sends had not begun. */
  withoutPending(): { readonly quota: QuotaRecord; readonly sends: readonly SendRecord[] } {
    const sends = this.#sends.all();
    const heldOf = (source: QuotaSource) =>
      sends.filter(({ status, paidBy }) => status === 'pending' && paidBy === source).length;
    return {
      quota: { quota: this.#quota + heldOf('plan'), addOnCredits: this.#addOnCredits + heldOf('add_on') },
      sends: sends.filter(({ status }) => status !== 'pending'),
    };
  }

  #keep(send: SendRecord): void {
    this.#sends.set(send);
    // A pending send is never dropped, because its conversation may have to be refunded.
    if (send.status === 'pending') return;
    const forgotten = this.#sent.add(send.id);
    if (forgotten !== undefined) this.#drop(forgotten);
  }

  #drop(id: string): void {
    const runId = this.#sends.get(id)?.journeyRunId ?? '';
    this.#sends.drop(id);
    if (this.#latestOfRuns.get(runId)?.sendId === id) this.#latestOfRuns.delete(runId);
  }

  #spend(): QuotaSource | undefined {
    if (this.#quota > 0) {
      this.#quota -= 1;
      return 'plan';
    }
    if (this.#addOnCredits > 0) {
      this.#addOnCredits -= 1;
      return 'add_on';
    }
    return undefined;
  }

  #refund(source: QuotaSource): void {
    if (source === 'plan') this.#quota += 1;
    else this.#addOnCredits += 1;
  }
}
