import type { DedupeStore } from 'messaging-automation/webhooks';
import { beforeEach, expect, test } from 'vitest';
import { type StoreUnderTest, storeChecks } from './store-checks.js';

const hour = 3_600_000;

/** What every dedupe store promises, within a suite that has it at hand. */
export function keepsThePromises(createStore: () => Promise<StoreUnderTest> | StoreUnderTest): void {
  let store: DedupeStore;
  let pass: StoreUnderTest['pass'];

  beforeEach(async () => {
    ({ store, pass } = await createStore());
  });

  test.each(storeChecks)('$name', ({ run }) => run({ store, pass }));

  test('a key that is done says nothing of another that is claimed, nor its end of the other', async () => {
    const [holder, other] = ['first', 'second'];
    for (const key of ['one', 'two', 'three']) await store.claim(key, { holder, lease: hour });
    await store.commit('two', { holder, ttl: hour });
    await store.release('three', { holder });
    const claims = ['one', 'two', 'three'].map((key) => store.claim(key, { holder: other, lease: hour }));
    expect(await Promise.all(claims)).toEqual(['in_progress', 'done', 'claimed']);
    expect(await store.renew('one', { holder, lease: hour })).toBe(true);
  });
}
