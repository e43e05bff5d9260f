import { createMemoryDedupeStore, type DedupeStore, type TurnStore } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { storeChecks } from './store-checks.js';

type Break = (store: DedupeStore) => Partial<DedupeStore>;

const never = 1e12;

const renewsAlways: Break = () => ({ renew: async () => true });

const claimsByRenewal: Break = (store) => ({
  renew: async (key, options) =>
    (await store.renew(key, options)) || (await store.claim(key, options)) === 'claimed',
});

/** Breaks a part of what keeps the order. */
const turns =
  (change: (turns: TurnStore, store: DedupeStore) => Partial<TurnStore>): Break =>
  (store) => {
    if (store.turns === undefined) throw new Error('The store has no turns.');
    return { turns: { ...store.turns, ...change(store.turns, store) } };
  };

const replacesAlways = turns(({ read, replace }) => ({
  replace: async (name, _, text, ttl) => replace(name, await read(name), text, ttl),
}));

/** Compares first and writes later. */
const replacesInTwoSteps = turns(() => {
  const texts = new Map<string, string>();
  return {
    read: (name) => texts.get(name),
    async replace(name, expected, text) {
      if (texts.get(name) !== expected) return false;
      await undefined;
      texts.set(name, text);
      return true;
    },
  };
});

const releasesForAnyone: Break = (store) => {
  const holders = new Map<string, string>();
  return {
    claim: async (key, options) => {
      const claim = await store.claim(key, options);
      if (claim === 'claimed') holders.set(key, options.holder);
      return claim;
    },
    release: (key, options) => store.release(key, { holder: holders.get(key) ?? options.holder }),
  };
};

/** For each promise a store that breaks it and keeps the others. */
const broken: Readonly<Record<string, Break>> = {
  'of a hundred claims at once, one gets the key': () => ({ claim: async () => 'claimed' }),
  'of a hundred claims at once, one gets a key whose lease is over': (store) => ({
    claim: async (key, options) =>
      options.holder === 'died' ? store.claim(key, options) : store.claim(key + options.holder, options),
  }),
  'a claim lasts until its lease is over': (store) => ({
    claim: (key, options) => store.claim(key, { ...options, lease: never }),
  }),
  'keys are apart': (store) => {
    const one = (key: string) => key.slice(0, 'delivery:'.length);
    return {
      claim: (key, options) => store.claim(one(key), options),
      commit: (key, options) => store.commit(one(key), options),
      release: (key, options) => store.release(one(key), options),
    };
  },
  'a holder may have any name': (store) => ({
    release: (key, options) => store.release(key, { holder: options.holder.replaceAll("'", '') }),
  }),
  'a renewal begins the lease anew, again and again': renewsAlways,
  'a renewal by another does nothing': renewsAlways,
  'a renewal of what nobody claimed does nothing': claimsByRenewal,
  'a renewal after the lease does nothing': claimsByRenewal,
  'a renewal of what was released does nothing': renewsAlways,
  'a renewal never undoes or shortens a commit': (store) => ({
    renew: async (key, { holder, lease }) => {
      await store.commit(key, { holder, ttl: lease });
      return false;
    },
  }),
  'a commit is remembered for its time, and no longer': (store) => ({
    commit: (key, { holder, ttl }) => store.commit(key, { holder, ttl: ttl / 2 }),
  }),
  'a commit counts when the lease is over and another has the key': (store) => ({
    commit: async (key, { holder, ttl }) => {
      if (await store.renew(key, { holder, lease: ttl })) await store.commit(key, { holder, ttl });
    },
  }),
  'a commit counts for what nobody claimed': (store) => ({
    commit: async (key, { holder, ttl }) => {
      if ((await store.claim(key, { holder, lease: ttl })) !== 'claimed')
        await store.commit(key, { holder, ttl });
    },
  }),
  'a release frees the key': () => ({ release: async () => {} }),
  'a release by another does nothing': releasesForAnyone,
  'a release after the lease leaves the next holder’s claim alone': releasesForAnyone,
  'a release never undoes a commit': (store) => ({
    release: (key, { holder }) => store.commit(key, { holder, ttl: 1e-9 }),
  }),
  'a release of what nobody claimed does nothing': (store) => ({
    release: async (key, options) => {
      await store.claim(key, { ...options, lease: never });
    },
  }),
  'a record is absent until it is set': turns(({ read }) => ({
    read: async (name) => (await read(name)) ?? '',
  })),
  'a record changes only if it is as expected': replacesAlways,
  'of a hundred that create a record at once, one does': replacesInTwoSteps,
  'of a hundred that change a record at once, one does': replacesInTwoSteps,
  'a record holds any text': turns(({ replace }) => ({
    replace: (name, expected, text, ttl) => replace(name, expected, text.slice(0, 255), ttl),
  })),
  'records are apart': turns(({ read, replace }) => ({
    read: () => read('one'),
    replace: (_, ...words) => replace('one', ...words),
  })),
  'a record lasts for its time after its last change, and no longer': turns(({ replace }) => ({
    replace: (name, expected, text, ttl) =>
      replace(name, expected, text, expected === undefined ? ttl : never),
  })),
  'the state of a claim is held by its holder alone': turns((_, store) => ({
    stateOf: async (key) => {
      const found = await store.claim(key, { holder: 'another', lease: 1 });
      return found === 'in_progress' ? 'held' : 'ended';
    },
  })),
  'the state of what nobody claimed is ended': turns((_, store) => ({
    stateOf: async (key, holder) =>
      (await store.claim(key, { holder, lease: never })) === 'claimed' ? 'ended' : 'held',
  })),
  'the state of a claim that was released is ended': turns(() => ({ stateOf: () => 'held' })),
  'the state of a claim is ended when its lease is over': turns(() => ({ stateOf: () => 'held' })),
  'the state of a delivery that is done is done, for any holder': turns(({ stateOf }) => ({
    stateOf: async (key, holder) => ((await stateOf(key, holder)) === 'held' ? 'held' : 'ended'),
  })),
};

function createStore() {
  const clock = new ManualClock();
  return {
    store: createMemoryDedupeStore({ clock }),
    pass: (milliseconds: number) => clock.pass(milliseconds),
  };
}

test('there is a broken store for each check', () => {
  expect(Object.keys(broken)).toEqual(storeChecks.map(({ name }) => name));
});

test.each(storeChecks)('finds a store that breaks the promise: $name', async ({ name, run }) => {
  const { store, pass } = createStore();
  const changes = broken[name]?.(store);

  await expect(run({ store: { ...store, ...changes }, pass })).rejects.toThrow(
    `The dedupe store breaks the promise that ${name}: `,
  );
});

test('what a store throws is reported, and kept as the cause', async () => {
  const { store, pass } = createStore();
  const error = new Error('the database is down');
  const claim = () => Promise.reject(error);

  for (const { run } of storeChecks.slice(0, 4)) {
    await expect(run({ store: { ...store, claim }, pass })).rejects.toMatchObject({
      message: expect.stringContaining('the database is down'),
      cause: error,
    });
  }
});
