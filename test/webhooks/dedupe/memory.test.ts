import {
  createMemoryDedupeStore,
  type ForgottenDedupeKey,
  type MemoryDedupeStoreOptions,
} from 'messaging-automation/webhooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { keepsThePromises } from './conformance.js';

function createStore(options: MemoryDedupeStoreOptions = {}) {
  const clock = new ManualClock();
  return {
    store: createMemoryDedupeStore({ ...options, clock }),
    pass: (milliseconds: number) => clock.pass(milliseconds),
  };
}

const lease = 60_000;
const ttl = 3_600_000;

describe('the store in memory', () => {
  keepsThePromises(createStore);
});

describe('a full store in memory', () => {
  afterEach(() => vi.restoreAllMocks());

  test('forgets the oldest key, and tells which, and for how long it was to be kept', async () => {
    const forgotten: ForgottenDedupeKey[] = [];
    const { store, pass } = createStore({ maxEntries: 2, onForgotten: (key) => forgotten.push(key) });
    for (const key of ['one', 'two', 'three']) {
      await store.commit(key, { holder: 'first', ttl });
      pass(1_000);
    }

    expect(forgotten).toEqual([{ key: 'one', state: 'done', remaining: ttl - 2_000 }]);
    expect(await store.claim('three', { holder: 'second', lease })).toBe('done');
    expect(await store.claim('one', { holder: 'second', lease })).toBe('claimed');
  });

  test('forgets a claim that was not renewed before one that was', async () => {
    const forgotten: ForgottenDedupeKey[] = [];
    const { store } = createStore({ maxEntries: 2, onForgotten: (key) => forgotten.push(key) });
    await store.claim('one', { holder: 'first', lease });
    await store.claim('two', { holder: 'first', lease });
    await store.renew('one', { holder: 'first', lease });
    await store.claim('three', { holder: 'first', lease });

    expect(forgotten).toEqual([{ key: 'two', state: 'claimed', remaining: lease }]);
    expect(await store.renew('one', { holder: 'first', lease })).toBe(true);
    expect(await store.renew('two', { holder: 'first', lease })).toBe(false);
  });

  test('warns once per store, and says what to do', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const stores = [1, 2].map((maxEntries) => createStore({ maxEntries }).store);
    for (const store of stores)
      for (const key of ['one', 'two', 'three', 'four']) await store.commit(key, { holder: 'first', ttl });

    expect(emitWarning.mock.calls).toEqual(
      [1, 2].map((bound) => [
        expect.stringContaining(`Raise maxEntries, which is ${bound}, or pass onForgotten`),
        'MessagingAutomationDedupe',
      ]),
    );
  });

  test.each([
    ['throws', () => expect.unreachable()],
    ['rejects', () => Promise.reject(new Error('hook'))],
  ])('continues if the hook %s', async (_, onForgotten) => {
    const { store } = createStore({ maxEntries: 1, onForgotten });
    await store.commit('one', { holder: 'first', ttl });
    await store.commit('two', { holder: 'first', ttl });

    expect(await store.claim('two', { holder: 'second', lease })).toBe('done');
  });
});

test('a store in memory goes by the machine clock by default', async () => {
  const store = createMemoryDedupeStore();

  expect(await store.claim('key', { holder: 'first', lease })).toBe('claimed');
  expect(await store.claim('key', { holder: 'second', lease })).toBe('in_progress');
});
