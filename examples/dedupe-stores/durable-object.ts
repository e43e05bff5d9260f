import type { KeyValueService } from 'messaging-automation/webhooks';

/** What this takes of a Durable Object's storage, as Cloudflare types it. */
export interface ObjectStorage {
  transaction<Result>(work: (storage: ObjectStorage) => Promise<Result>): Promise<Result>;
  get<Value>(key: string): Promise<Value | undefined>;
  put<Value>(key: string, value: Value): Promise<void>;
  delete(key: string): Promise<boolean>;
}

interface Entry {
  readonly value: string;
  readonly endsAt: number;
}

/**
 * The class of a Durable Object that keeps what was handled: `extends DurableObject`, in a Worker. There the namespace's
 * `get(namespace.idFromName('deliveries'))` gives a stub that is a `KeyValueService`.
 */
export class HandledDeliveries implements KeyValueService {
  readonly #storage: ObjectStorage;
  readonly #now: () => number;

  constructor({ storage }: { readonly storage: ObjectStorage }, now: () => number = Date.now) {
    this.#storage = storage;
    this.#now = now;
  }

  get(key: string): Promise<string | undefined> {
    return this.#read(this.#storage, key);
  }

  set(key: string, value: string, ttl: number): Promise<void> {
    return this.#write(this.#storage, key, value, ttl);
  }

  setIfAbsent(key: string, value: string, ttl: number): Promise<boolean> {
    return this.#if(key, undefined, (storage) => this.#write(storage, key, value, ttl));
  }

  replaceIfEqual(key: string, expected: string, value: string, ttl: number): Promise<boolean> {
    return this.#if(key, expected, (storage) => this.#write(storage, key, value, ttl));
  }

  deleteIfEqual(key: string, expected: string): Promise<boolean> {
    return this.#if(key, expected, (storage) => storage.delete(key));
  }

  /** Does something in the transaction that finds the key as expected. */
  #if(key: string, expected: string | undefined, work: (storage: ObjectStorage) => Promise<unknown>) {
    return this.#storage.transaction(async (storage) => {
      if ((await this.#read(storage, key)) !== expected) return false;
      await work(storage);
      return true;
    });
  }

  async #read(storage: ObjectStorage, key: string): Promise<string | undefined> {
    const entry = await storage.get<Entry>(key);
    return entry !== undefined && entry.endsAt > this.#now() ? entry.value : undefined;
  }

  #write(storage: ObjectStorage, key: string, value: string, ttl: number): Promise<void> {
    const entry: Entry = { value, endsAt: this.#now() + ttl };
    return storage.put(key, entry);
  }
}
