import type { ObjectStorage } from '../../examples/dedupe-stores/durable-object.js';

/** A storage whose transactions come one after the other, as a Durable Object's do. */
export function objectStorage(values = new Map<string, unknown>(), onChange = () => {}): ObjectStorage {
  let last: Promise<unknown> = Promise.resolve();
  const storage: ObjectStorage = {
    transaction(work) {
      const result = last.then(() => work(storage));
      last = result.catch(() => {});
      return result;
    },
    get: async <Value>(key: string) => values.get(key) as Value | undefined,
    async put(key, value) {
      values.set(key, value);
      onChange();
    },
    async delete(key) {
      const wasThere = values.delete(key);
      onChange();
      return wasThere;
    },
  };
  return storage;
}
