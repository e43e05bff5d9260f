import type { KeyValueService } from 'messaging-automation/webhooks';

/** The part of a Durable Object's storage that this example uses, as Cloudflare types it. */
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
 * A Durable Object that remembers the handled deliveries. In a Worker, the class extends `DurableObject`, and
 * `get(namespace.idFromName('deliveries'))` of its namespace returns a stub that is a `KeyValueService`. It has no `list`, which is
 * optional, because a stub cannot return an AsyncIterable.
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

  /** Runs `work` in a transaction if the key has the expected value. */
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
