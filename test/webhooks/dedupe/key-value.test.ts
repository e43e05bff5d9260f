import { createDedupeStore, type KeyValueService } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { keepsThePromises } from './conformance.js';

/** A key-value service in memory, whose time the test has in its hands. */
function createService() {
  const clock = new ManualClock();
  const entries = new Map<string, { readonly value: string; readonly end: number }>();
  const read = (key: string) => {
    const entry = entries.get(key);
    return entry !== undefined && entry.end > clock.now() ? entry.value : undefined;
  };
  const write = (key: string, value: string, ttl: number) => {
    if (!Number.isInteger(ttl) || ttl < 1) throw new Error('A time to live is a whole number above zero.');
    entries.set(key, { value, end: clock.now() + ttl });
    return true;
  };
  const service: KeyValueService = {
    get: async (key) => read(key),
    set: async (key, value, ttl) => write(key, value, ttl),
    setIfAbsent: async (key, value, ttl) => read(key) === undefined && write(key, value, ttl),
    replaceIfEqual: async (key, expected, value, ttl) => read(key) === expected && write(key, value, ttl),
    deleteIfEqual: async (key, expected) => read(key) === expected && entries.delete(key),
  };
  return { service, entries, pass: (milliseconds: number) => clock.pass(milliseconds) };
}

const lease = 60_000;

describe('a store over a key-value service', () => {
  keepsThePromises(() => {
    const { service, pass } = createService();
    return { store: createDedupeStore(service), pass };
  });

  test.each([
    [undefined, 'dedupe:key'],
    ['orders:', 'orders:key'],
    ['', 'key'],
  ])('puts the prefix %j before its keys', async (prefix, name) => {
    const { service, entries } = createService();
    const store = createDedupeStore(service, { prefix });
    await store.claim('key', { holder: 'first', lease });
    await store.renew('key', { holder: 'first', lease });
    await store.commit('key', { holder: 'first', ttl: lease });

    expect([...entries.keys()]).toEqual([name]);
  });

  test('gives whole milliseconds, at least one', async () => {
    const { service, pass } = createService();
    const store = createDedupeStore(service);
    expect(await store.claim('key', { holder: 'first', lease: 0.2 })).toBe('claimed');
    expect(await store.renew('key', { holder: 'first', lease: 1.2 })).toBe(true);
    pass(1);
    expect(await store.claim('key', { holder: 'second', lease })).toBe('in_progress');
    pass(1);
    expect(await store.claim('key', { holder: 'second', lease })).toBe('claimed');
    await store.commit('key', { holder: 'second', ttl: 1.2 });
    pass(1);
    expect(await store.claim('key', { holder: 'third', lease })).toBe('done');
    pass(1);
    expect(await store.claim('key', { holder: 'third', lease })).toBe('claimed');
  });

  test.each([null, undefined])(
    'takes a key that went absent between its two looks for one in progress, also if it is then %s',
    async (absent) => {
      const { service } = createService();
      const [setIfAbsent, get] = [async () => false, async () => absent];
      const store = createDedupeStore({ ...service, setIfAbsent, get });

      expect(await store.claim('key', { holder: 'first', lease })).toBe('in_progress');
    },
  );
});

describe('a key-value service that does not do its part is named', () => {
  test.each(['get', 'set', 'setIfAbsent', 'replaceIfEqual', 'deleteIfEqual'])('without %s', (operation) => {
    const { service } = createService();

    expect(() => createDedupeStore({ ...service, [operation]: undefined })).toThrow(
      'service must be an object with the methods get, set, setIfAbsent, replaceIfEqual, deleteIfEqual',
    );
  });

  // What services and their clients give for "it was set", and people forget to turn into a boolean.
  test.each(['OK', 1, null, undefined, {}])('with %j for a report', async (report) => {
    const { service } = createService();
    const reporting = async () => report as boolean;
    const store = createDedupeStore({
      ...service,
      setIfAbsent: reporting,
      replaceIfEqual: reporting,
      deleteIfEqual: reporting,
    });
    const must = (operation: string) =>
      `The operation ${operation} of the dedupe store's key-value service must return true or false.`;

    await expect(store.claim('key', { holder: 'first', lease })).rejects.toThrow(must('setIfAbsent'));
    await expect(store.renew('key', { holder: 'first', lease })).rejects.toThrow(must('replaceIfEqual'));
    await expect(store.release('key', { holder: 'first' })).rejects.toThrow(must('deleteIfEqual'));
  });

  test('with a value that is no text', async () => {
    const { service } = createService();
    const get = async () => new Uint8Array() as unknown as string;
    const store = createDedupeStore({ ...service, get });
    await store.claim('key', { holder: 'first', lease });

    await expect(store.claim('key', { holder: 'second', lease })).rejects.toThrow(
      'must return a string, null or undefined.',
    );
  });
});
