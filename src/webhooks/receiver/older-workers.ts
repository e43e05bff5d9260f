import type { DedupeClaim, DedupeStore, TurnStore } from '../dedupe/dedupe-store.js';

/**
 * A store for the jobs of a queue, whose workers may still run version 0.2.0, or have run it: for a job, it had the name of the delivery
 * with a hyphen instead of the colon. Both names are claimed and recorded, so that neither version handles what the other one has.
 */
export class StoreSharedWithOlderWorkers implements DedupeStore {
  readonly #store: DedupeStore;
  readonly turns: TurnStore | undefined;

  constructor(store: DedupeStore) {
    this.#store = store;
    this.turns = store.turns;
  }

  async claim(name: string, lease: Parameters<DedupeStore['claim']>[1]): Promise<DedupeClaim> {
    const found = await this.#store.claim(name, lease);
    if (found !== 'claimed') return found;
    const foundByOlder = await this.#store.claim(olderName(name), lease);
    if (foundByOlder !== 'claimed') await this.#store.release(name, lease);
    return foundByOlder;
  }

  async renew(name: string, lease: Parameters<DedupeStore['renew']>[1]): Promise<boolean> {
    const renewed = await Promise.all([
      this.#store.renew(name, lease),
      this.#store.renew(olderName(name), lease),
    ]);
    return renewed[0];
  }

  async commit(name: string, record: Parameters<DedupeStore['commit']>[1]): Promise<void> {
    await Promise.all([this.#store.commit(name, record), this.#store.commit(olderName(name), record)]);
  }

  async release(name: string, holder: Parameters<DedupeStore['release']>[1]): Promise<void> {
    await Promise.all([this.#store.release(name, holder), this.#store.release(olderName(name), holder)]);
  }
}

function olderName(name: string): string {
  return name.replace(':', '-');
}
