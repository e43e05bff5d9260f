import type { Page, PageRange } from '../../model/page.js';
import type { QuotaChange, QuotaRecord, QuotaSource, SendRecord } from '../../model/records.js';
import type { Claim, ClaimedSend, NewSend, SendFields, SendOutcome, SendStore } from '../store.js';
import { hasFields, type KeptOptions, NumberedRecords } from './kept-records.js';

/** One workspace's sends and quota in memory. */
export class MemorySends implements SendStore {
  readonly records: NumberedRecords<SendRecord>;
  /** The latest send of each journey run, by the run's id. A run takes its steps in order, so only its latest can come again. */
  readonly #latestOfRuns: NumberedRecords<{
    readonly id: string;
    readonly step: number;
    readonly sendId: string;
  }>;
  readonly #changed: () => void;
  #quota = 0;
  #addOnCredits = 0;

  constructor(options: KeptOptions) {
    this.records = new NumberedRecords(
      options,
      (send) => JSON.stringify(send).length,
      // A pending send is never dropped, because its conversation may have to be refunded.
      ({ status }) => status === 'sent',
    );
    this.#latestOfRuns = new NumberedRecords(
      options,
      () => 0,
      () => true,
    );
    this.#changed = options.changed;
  }

  /** Replaces the quota and all sends. */
  load({ quota, addOnCredits }: QuotaRecord, sends: readonly SendRecord[]): void {
    this.#quota = quota;
    this.#addOnCredits = addOnCredits;
    this.#latestOfRuns.load([]);
    this.records.load(sends);
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

  async begin(send: NewSend, step?: number): Promise<ClaimedSend | undefined> {
    const earlier = step === undefined ? undefined : this.#ofStep(String(send.journeyRunId), step);
    if (earlier?.status === 'sent') return undefined;
    if (earlier !== undefined) return { claim: this.records.claim(earlier.id), send: earlier };
    const paidBy = this.#spend();
    if (paidBy === undefined) return undefined;
    const begun: SendRecord = { ...send, status: 'pending', paidBy };
    this.records.set(begun);
    if (step !== undefined) {
      const id = String(send.journeyRunId);
      // Numbered again, so that the runs without a recent send are forgotten first.
      this.#latestOfRuns.drop(id);
      this.#latestOfRuns.set({ id, step, sendId: begun.id });
    }
    return { claim: this.records.claim(begun.id), send: begun };
  }

  async findOfStep(journeyRunId: string, step: number): Promise<SendRecord | undefined> {
    return this.#ofStep(journeyRunId, step);
  }

  #ofStep(journeyRunId: string, step: number): SendRecord | undefined {
    const latest = this.#latestOfRuns.get(journeyRunId);
    return latest?.step === step ? this.records.get(latest.sendId) : undefined;
  }

  async settle(claim: Claim, outcome: SendOutcome): Promise<boolean> {
    const send = this.records.settle(claim);
    if (send === undefined) return false;
    if (outcome.accepted) {
      // Numbered again, so that no page that shows a later send has skipped it.
      this.records.drop(send.id);
      this.records.set({ ...send, status: 'sent' });
      return true;
    }
    this.records.drop(send.id);
    if (outcome.refund) this.#refund(send.paidBy);
    return true;
  }

  async claimAbandoned(): Promise<ClaimedSend | undefined> {
    const [send] = this.records.expired();
    return send && { claim: this.records.claim(send.id), send };
  }

  async page(fields: SendFields, range: PageRange): Promise<Page<SendRecord>> {
    return this.records.page((send) => hasFields(send, fields), range);
  }

  /** Returns the quota and the sends as if the pending sends had not begun. */
  withoutPending(): { readonly quota: QuotaRecord; readonly sends: readonly SendRecord[] } {
    const sends = this.records.all();
    const heldOf = (source: QuotaSource) =>
      sends.filter(({ status, paidBy }) => status === 'pending' && paidBy === source).length;
    return {
      quota: { quota: this.#quota + heldOf('plan'), addOnCredits: this.#addOnCredits + heldOf('add_on') },
      sends: sends.filter(({ status }) => status !== 'pending'),
    };
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
