import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import type { DedupeStore, TurnStore } from 'messaging-automation/webhooks';
import type { ClaimState, DedupeClaim } from '../../../src/webhooks/dedupe/dedupe-store.js';

/** A store, and how its time is made to pass. It may hold other keys, because each check uses new keys. */
export interface StoreUnderTest {
  readonly store: DedupeStore;
  pass(milliseconds: number): Promise<void> | void;
}

/** The lease of the checks' claims, in milliseconds. */
const lease = 60_000;

/** A call to the store, or time that passes. */
interface Step {
  /** The call in words. */
  readonly call: string;
  readonly make: (subject: StoreUnderTest, key: string, otherKey: string) => unknown;
  /** What the store must return. `undefined` if other steps show what the call does. */
  readonly promised?: unknown;
}

const by =
  (name: string, make: (store: DedupeStore, key: string, holder: string) => unknown) =>
  (holder: string, promised?: DedupeClaim | ClaimState | boolean): Step => ({
    call: `${name} by "${holder}"`,
    make: ({ store }, key) => make(store, key, holder),
    promised,
  });
const claim = by('claim', (store, key, holder) => store.claim(key, { holder, lease }));
const renew = by('renew', (store, key, holder) => store.renew(key, { holder, lease }));
const commit = by('commit', (store, key, holder) => store.commit(key, { holder, ttl: lease * 3 }));
const release = by('release', (store, key, holder) => store.release(key, { holder }));
const stateOf = by('stateOf', (store, key, holder) => turnsOf(store).stateOf(key, holder));
const read = (promised?: string): Step => ({
  call: 'read of the record',
  make: async ({ store }, key) => (await turnsOf(store).read(nameFor(key))) ?? 'absent',
  promised: promised ?? 'absent',
});
const replace = (expected: string | undefined, text: string, promised?: boolean): Step => ({
  call: `replacement of ${expected === undefined ? 'an absent record' : `"${expected.slice(0, 80)}"`}`,
  make: ({ store }, key) => turnsOf(store).replace(nameFor(key), expected, text, lease),
  promised,
});
const aHundredReplace = (expected: string | undefined): Step => ({
  call: `replacement of ${expected === undefined ? 'an absent record' : `"${expected}"`} by a hundred at once`,
  async make({ store }, key) {
    const { replace } = turnsOf(store);
    const attempts = Array.from({ length: 100 }, (_, index) =>
      replace(nameFor(key), expected, `text ${index}`, lease),
    );
    const replaced = await Promise.all(attempts);
    const text = await turnsOf(store).read(nameFor(key));
    const others = replaced.filter((did, index) => did !== (text === `text ${index}`));
    return `${replaced.filter((did) => did).length} replaced it, ${others.length} by another text`;
  },
  promised: '1 replaced it, 0 by another text',
});
/** Passes the time of this many leases, and one millisecond more. */
const pass = (leases: number): Step => ({
  call: `a wait of ${leases} times the lease`,
  make: ({ pass }) => pass(leases * lease + 1),
});
const ofOtherKey = ({ call, make, ...step }: Step): Step => ({
  ...step,
  call: `${call} of another key`,
  make: (subject, key, otherKey) => make(subject, otherKey, key),
});
const aHundredClaims: Step = {
  call: 'claim by a hundred at once',
  async make({ store }, key) {
    const claims = Array.from({ length: 100 }, (_, index) =>
      store.claim(key, { holder: `holder ${index}`, lease }),
    );
    const given = await Promise.all(claims);
    const count = (claim: DedupeClaim) => given.filter((each) => each === claim).length;
    return `${count('claimed')} claimed, ${count('in_progress')} in_progress`;
  },
  promised: '1 claimed, 99 in_progress',
};
/** The longest that a receiver writes, with characters that a client may change. */
const anyText = JSON.stringify({ text: `'"; DROP TABLE é\u{1F600}\u2028\\`, long: 'a'.repeat(30_000) });
const anyName = `done'"; DROP TABLE é\u{1F600}`;

/** Each promise, with steps that show whether a store keeps it. */
const promises: Readonly<Record<string, readonly Step[]>> = {
  'of a hundred claims at once, one gets the key': [aHundredClaims],
  'of a hundred claims at once, one gets a key whose lease is over': [claim('died'), pass(1), aHundredClaims],
  'a claim lasts until its lease is over': [
    claim('first', 'claimed'),
    pass(0.5),
    claim('second', 'in_progress'),
    claim('first', 'claimed'),
    claim('second', 'in_progress'),
    pass(0.5),
    claim('second', 'claimed'),
  ],
  'keys are apart': [
    claim('first', 'claimed'),
    ofOtherKey(claim('second', 'claimed')),
    commit('first'),
    ofOtherKey(release('second')),
    claim('third', 'done'),
    ofOtherKey(claim('third', 'claimed')),
  ],
  'a holder may have any name': [
    claim(anyName),
    claim('second', 'in_progress'),
    release(anyName),
    claim('done', 'claimed'),
    claim('second', 'in_progress'),
  ],
  'a renewal begins the lease anew, again and again': [
    claim('first'),
    ...[1, 2, 3].flatMap(() => [pass(0.5), renew('first', true)]),
    claim('second', 'in_progress'),
    pass(1),
    claim('second', 'claimed'),
  ],
  'a renewal by another does nothing': [
    claim('first'),
    pass(0.5),
    renew('second', false),
    pass(0.5),
    claim('third', 'claimed'),
  ],
  'a renewal of what nobody claimed does nothing': [renew('first', false), claim('second', 'claimed')],
  'a renewal after the lease does nothing': [
    claim('slow'),
    pass(1),
    renew('slow', false),
    claim('second', 'claimed'),
    renew('slow', false),
  ],
  'a renewal of what was released does nothing': [
    claim('first'),
    release('first'),
    renew('first', false),
    claim('second', 'claimed'),
  ],
  'a renewal never undoes or shortens a commit': [
    claim('first'),
    commit('first'),
    ...['first', 'second', 'done'].map((holder) => renew(holder, false)),
    pass(2),
    claim('second', 'done'),
  ],
  'a commit is remembered for its time, and no longer': [
    claim('first'),
    commit('first'),
    pass(2),
    claim('second', 'done'),
    pass(1),
    claim('second', 'claimed'),
  ],
  'a commit counts when the lease is over and another has the key': [
    claim('slow'),
    pass(1),
    claim('second'),
    commit('slow'),
    claim('third', 'done'),
  ],
  'a commit counts for what nobody claimed': [commit('first'), claim('second', 'done')],
  'a release frees the key': [claim('first'), release('first'), claim('second', 'claimed')],
  'a release by another does nothing': [claim('first'), release('second'), claim('second', 'in_progress')],
  'a release after the lease leaves the next holder’s claim alone': [
    claim('slow'),
    pass(1),
    claim('second'),
    release('slow'),
    claim('third', 'in_progress'),
  ],
  'a release never undoes a commit': [
    claim('first'),
    commit('first'),
    ...['first', 'second', 'done'].map((holder) => release(holder)),
    claim('third', 'done'),
  ],
  'a release of what nobody claimed does nothing': [release('first'), claim('second', 'claimed')],
  'a record is absent until it is set': [
    read(),
    replace('a', 'b', false),
    replace(undefined, 'b', true),
    read('b'),
  ],
  'a record changes only if it is as expected': [
    replace(undefined, 'a'),
    replace(undefined, 'b', false),
    replace('b', 'c', false),
    replace('A', 'c', false),
    read('a'),
    replace('a', 'b', true),
    read('b'),
  ],
  'of a hundred that create a record at once, one does': [aHundredReplace(undefined)],
  'of a hundred that change a record at once, one does': [replace(undefined, 'a'), aHundredReplace('a')],
  'a record holds any text': [
    replace(undefined, anyText, true),
    read(anyText),
    replace(anyText, 'b', true),
    read('b'),
  ],
  'records are apart': [
    replace(undefined, 'a'),
    ofOtherKey(read()),
    ofOtherKey(replace(undefined, 'b', true)),
    claim('first', 'claimed'),
    read('a'),
  ],
  'a record lasts for its time after its last change, and no longer': [
    replace(undefined, 'a'),
    pass(0.5),
    replace('a', 'b', true),
    pass(0.75),
    read('b'),
    pass(0.5),
    read(),
    replace('b', 'c', false),
    replace(undefined, 'c', true),
  ],
  'the state of a claim is held by its holder alone': [
    claim('first'),
    stateOf('first', 'held'),
    stateOf('second', 'ended'),
    renew('first'),
    stateOf('first', 'held'),
  ],
  'the state of what nobody claimed is ended': [stateOf('first', 'ended'), claim('second', 'claimed')],
  'the state of a claim that was released is ended': [
    claim('first'),
    release('first'),
    stateOf('first', 'ended'),
  ],
  'the state of a claim is ended when its lease is over': [
    claim('first'),
    pass(1),
    stateOf('first', 'ended'),
  ],
  'the state of a delivery that is done is done, for any holder': [
    claim('first'),
    commit('first'),
    ...['first', 'second', 'done'].map((holder) => stateOf(holder, 'done')),
  ],
};

function turnsOf({ turns }: DedupeStore): TurnStore {
  if (turns === undefined) throw new Error('It has no turns.');
  return turns;
}

/** A name in the form of a receiver's records. */
const nameFor = (key: string) => key.replace('delivery:', 'turn:contact-');

/**
 * The promises of a `DedupeStore`, as checks. Each gets a store, and throws if the store breaks the promise. The cause of what it throws
 * is the error of the store, if that threw one.
 */
export const storeChecks = Object.entries(promises).map(([name, steps]) => ({
  name,
  run: async (subject: StoreUnderTest) => {
    try {
      await take(steps, subject);
    } catch (error) {
      const message: unknown = Reflect.get(Object(error), 'message');
      throw new Error(`The dedupe store breaks the promise that ${name}: ${message}`, { cause: error });
    }
  },
}));

/** Takes the steps with keys that no other check uses. */
async function take(steps: readonly Step[], subject: StoreUnderTest): Promise<void> {
  const [key, otherKey] = [newKey(), newKey()];
  const calls: string[] = [];
  for (const { call, make, promised } of steps) {
    calls.push(call);
    const given = await make(subject, key, otherKey);
    if (promised === undefined || Object.is(given, promised)) continue;
    throw new Error(
      `${calls.join(', then ')} must return ${inspect(promised)}, and returns ${inspect(given)}.`,
    );
  }
}

/** A key in the form of a receiver's keys. */
const newKey = () => `delivery:${randomBytes(32).toString('hex')}`;
