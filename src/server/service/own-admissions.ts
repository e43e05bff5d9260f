import type { AdmissionStore, Period } from '../store/admission-store.js';

const nothingYet: Period = { startedAt: Number.NEGATIVE_INFINITY, requests: 0 };

/** Counts the requests of a workspace that no other process shares. */
export class OwnAdmissions implements AdmissionStore {
  #period = nothingYet;

  async count(now: number, length: number): Promise<Period> {
    const { startedAt, requests } = this.#period;
    this.#period =
      now >= startedAt + length ? { startedAt: now, requests: 1 } : { startedAt, requests: requests + 1 };
    return this.#period;
  }

  async clear(): Promise<void> {
    this.#period = nothingYet;
  }
}
