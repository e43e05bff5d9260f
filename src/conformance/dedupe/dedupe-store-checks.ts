import { type DedupeStoreUnderTest, expectGiven, StoreProbe } from './store-probe.js';

/**
 * One promise of a dedupe store, and its check.
 *
 * @example
 * ```ts
 * import { dedupeStoreChecks, type DedupeStoreCheck } from 'messaging-automation/conformance';
 *
 * const names = dedupeStoreChecks.map((check: DedupeStoreCheck) => check.name);
 * ```
 */
export interface DedupeStoreCheck {
  /** The promise, as a test's name. */
  readonly name: string;
  /**
   * Checks it on a store.
   *
   * @throws Error that names the broken promise. Its `cause` is the error of the store, if it threw one.
   */
  readonly run: (subject: DedupeStoreUnderTest) => Promise<void>;
}

/**
 * The promises of a `DedupeStore`, as checks for your own store. Run them with `test.each` of any test runner, or in a loop. Each
 * check gets a store, and throws if the store breaks the promise.
 *
 * @example
 * ```ts
 * import { dedupeStoreChecks } from 'messaging-automation/conformance';
 * import { createMemoryDedupeStore } from 'messaging-automation/webhooks';
 *
 * // With Jest or Vitest: test.each(dedupeStoreChecks)('$name', ({ run }) => run(createSubject()));
 * for (const { name, run } of dedupeStoreChecks) {
 *   let now = 0;
 *   await run({
 *     store: createMemoryDedupeStore({ clock: { now: () => now } }),
 *     passTime: (milliseconds) => {
 *       now += milliseconds;
 *     },
 *   });
 *   console.log('kept:', name);
 * }
 * ```
 */
export const dedupeStoreChecks: readonly DedupeStoreCheck[] = [
  check('of a hundred claims at once, one gets the key', async (at) => {
    const claims = await at.claimAtOnce();
    expectGiven('claim: the number of "claimed"', claims.filter((one) => one === 'claimed').length, 1);
    expectGiven(
      'claim: the number of "in_progress"',
      claims.filter((one) => one === 'in_progress').length,
      99,
    );
  }),
  check('of a hundred claims at once, one gets a key whose lease is over', async (at) => {
    await at.claim('died');
    await at.pass(1);
    const claims = await at.claimAtOnce();
    expectGiven('claim: the number of "claimed"', claims.filter((one) => one === 'claimed').length, 1);
  }),
  check('a claim lasts until its lease is over', async (at) => {
    expectGiven('claim of a new key', await at.claim('first'), 'claimed');
    await at.pass(0.5);
    expectGiven('claim by another within the lease', await at.claim('second'), 'in_progress');
    expectGiven('claim by the holder within the lease', await at.claim('first'), 'claimed');
    expectGiven('claim by another after that', await at.claim('second'), 'in_progress');
    await at.pass(0.5);
    expectGiven('claim after the lease', await at.claim('second'), 'claimed');
  }),
  check('keys are apart', async (at) => {
    const other = at.newKey();
    expectGiven('claim of a key', await at.claim('first'), 'claimed');
    expectGiven('claim of another key', await at.claim('second', other), 'claimed');
    await at.commit('first');
    await at.release('second', other);
    expectGiven('claim of the committed key', await at.claim('third'), 'done');
    expectGiven('claim of the released key', await at.claim('third', other), 'claimed');
  }),
  check('a holder may have any name', async (at) => {
    const name = `done'"; DROP TABLE é\u{1F600}`;
    await at.claim(name);
    expectGiven('claim within the lease', await at.claim('second'), 'in_progress');
    await at.release(name);
    expectGiven('claim after the release', await at.claim('done'), 'claimed');
    expectGiven('claim of what a holder named "done" has', await at.claim('second'), 'in_progress');
  }),
  check('a renewal begins the lease anew, again and again', async (at) => {
    await at.claim('first');
    for (let time = 0; time < 3; time += 1) {
      await at.pass(0.5);
      expectGiven('renew by the holder', await at.renew('first'), true);
    }
    expectGiven('claim by another within the renewed lease', await at.claim('second'), 'in_progress');
    await at.pass(1);
    expectGiven('claim after the renewed lease', await at.claim('second'), 'claimed');
  }),
  check('a renewal by another does nothing', async (at) => {
    await at.claim('first');
    await at.pass(0.5);
    expectGiven('renew by another', await at.renew('second'), false);
    await at.pass(0.5);
    expectGiven('claim after the lease', await at.claim('third'), 'claimed');
  }),
  check('a renewal of what nobody claimed does nothing', async (at) => {
    expectGiven('renew of a new key', await at.renew('first'), false);
    expectGiven('claim of a new key', await at.claim('second'), 'claimed');
  }),
  check('a renewal after the lease does nothing', async (at) => {
    await at.claim('slow');
    await at.pass(1);
    expectGiven('renew after the lease', await at.renew('slow'), false);
    expectGiven('claim after the lease', await at.claim('second'), 'claimed');
    expectGiven('renew of a claim that another took over', await at.renew('slow'), false);
  }),
  check('a renewal of what was released does nothing', async (at) => {
    await at.claim('first');
    await at.release('first');
    expectGiven('renew after the release', await at.renew('first'), false);
    expectGiven('claim after the release', await at.claim('second'), 'claimed');
  }),
  check('a renewal never undoes or shortens a commit', async (at) => {
    await at.claim('first');
    await at.commit('first');
    for (const holder of ['first', 'second', 'done']) {
      expectGiven(`renew of a committed key by "${holder}"`, await at.renew(holder), false);
    }
    await at.pass(2);
    expectGiven('claim of the committed key', await at.claim('second'), 'done');
  }),
  check('a commit is remembered for its time, and no longer', async (at) => {
    await at.claim('first');
    await at.commit('first');
    await at.pass(2);
    expectGiven('claim within the commit’s time', await at.claim('second'), 'done');
    await at.pass(1);
    expectGiven('claim after the commit’s time', await at.claim('second'), 'claimed');
  }),
  check('a commit counts when the lease is over and another has the key', async (at) => {
    await at.claim('slow');
    await at.pass(1);
    await at.claim('second');
    await at.commit('slow');
    expectGiven('claim of the committed key', await at.claim('third'), 'done');
  }),
  check('a commit counts for what nobody claimed', async (at) => {
    await at.commit('first');
    expectGiven('claim of the committed key', await at.claim('second'), 'done');
  }),
  check('a release frees the key', async (at) => {
    await at.claim('first');
    await at.release('first');
    expectGiven('claim after the release', await at.claim('second'), 'claimed');
  }),
  check('a release by another does nothing', async (at) => {
    await at.claim('first');
    await at.release('second');
    expectGiven('claim within the lease', await at.claim('second'), 'in_progress');
  }),
  check('a release after the lease leaves the next holder’s claim alone', async (at) => {
    await at.claim('slow');
    await at.pass(1);
    await at.claim('second');
    await at.release('slow');
    expectGiven('claim by a third', await at.claim('third'), 'in_progress');
  }),
  check('a release never undoes a commit', async (at) => {
    await at.claim('first');
    await at.commit('first');
    for (const holder of ['first', 'second', 'done']) await at.release(holder);
    expectGiven('claim of the committed key', await at.claim('third'), 'done');
  }),
  check('a release of what nobody claimed does nothing', async (at) => {
    await at.release('first');
    expectGiven('claim of a new key', await at.claim('second'), 'claimed');
  }),
];

function check(name: string, run: (at: StoreProbe) => Promise<void>): DedupeStoreCheck {
  return {
    name,
    run: async (subject) => {
      try {
        await run(new StoreProbe(subject));
      } catch (error) {
        throw new Error(`The dedupe store breaks the promise that ${name}: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },
  };
}

function messageOf(error: unknown): string {
  const message: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error;
  return String(message);
}
