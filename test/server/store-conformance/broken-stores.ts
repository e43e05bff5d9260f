import type { WorkspaceState } from '../../../src/server/model/records.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import type { Store, WorkspaceStore } from '../../../src/server/store/store.js';
import { type Alteration, aroundVerbs, verbsThat } from './altered-store.js';
import { workspaceRecord } from './opening.js';

/** Broken verbs of the store itself, by the promise that each breaks. */
export const brokenStores: Readonly<Record<string, (kept: Store) => Partial<Store>>> = {
  // Compares digests without regard to case.
  'workspaces: are found by the digest of each of their keys, and by no other': (kept) => ({
    findWorkspaceId: (digest) => kept.findWorkspaceId(digest.toLowerCase()),
  }),
  // Removes the keys of any workspace.
  'workspaces: lose a key once, and no key but their own': (kept) => ({
    removeApiKey: async (_, digest) => kept.removeApiKey((await kept.findWorkspaceId(digest)) ?? '', digest),
  }),
  // Gives a key of one workspace to another.
  'workspaces: take no key that opens another': (kept) => ({
    async addApiKey(workspaceId, digest) {
      await kept.removeApiKey((await kept.findWorkspaceId(digest)) ?? '', digest);
      await kept.addApiKey(workspaceId, digest);
    },
  }),
  'workspaces: are deleted with all that they hold, and their keys': () => ({
    deleteWorkspace: async () => {},
  }),
  'workspaces: are not put in the place of one with their id': (kept) => ({
    async createWorkspace(record) {
      await kept.deleteWorkspace(record.id);
      await kept.createWorkspace(record);
    },
  }),
  'workspaces: can be asked for while they are created': (kept) => ({
    async createWorkspace(record) {
      await null;
      await kept.createWorkspace(record);
    },
  }),
};

/** What a broken verb does. It can use its workspace and all workspaces, which keep their promises. */
type Breach = (
  call: (...given: unknown[]) => unknown,
  given: readonly unknown[],
  kept: WorkspaceStore,
  all: readonly WorkspaceStore[],
  verb: string,
) => unknown;

function callVerb(workspace: WorkspaceStore, verb: string, given: readonly unknown[]): unknown {
  const [name = '', ...parts] = verb.split('.').reverse();
  const part = parts.reduce<object>((inner, each) => Object(Reflect.get(inner, each)), workspace);
  return Object(Reflect.get(part, name)).apply(part, given);
}

/** Puts a part of the state back that the verb has changed. */
const putsBack =
  (part: keyof WorkspaceState): Breach =>
  async (call, given, kept) => {
    const before = await kept.readState();
    const result = await call(...given);
    await kept.replaceState({ ...(await kept.readState()), [part]: before[part] });
    return result;
  };

const breaches: Readonly<Record<string, readonly [verbs: readonly string[], breach: Breach]>> = {
  'does nothing': [
    [...verbsThat('writes'), 'events.release', 'journeys.releaseRun', 'outbox.release'],
    async () => undefined,
  ],
  'always says that it did something': [
    [
      ...['templates.delete', 'segments.delete', 'journeys.delete', 'sends.settle', 'journeys.saveRun'],
      ...['deleteContact', 'recordEvent', 'completeEvent', 'deleteSubscription'],
    ],
    async (call, given) => {
      await call(...given);
      return true;
    },
  ],
  'gives a list in another order': [
    [
      ...['templates.list', 'segments.list', 'journeys.list', 'journeys.listStartedBy', 'journeys.listRuns'],
      ...[
        'contacts.list',
        'sends.list',
        'events.list',
        'subscriptions.list',
        'outbox.list',
        'outbox.claimDue',
      ],
    ],
    async (call, given) => {
      const list = await call(...given);
      return Array.isArray(list) ? list.toReversed() : list;
    },
  ],
  'reaches into other workspaces': [
    [
      ...['templates.list', 'segments.list', 'journeys.list', 'templates.find'],
      ...['contacts.findById', 'contacts.findByPhone', 'deleteContact'],
    ],
    async (_, given, __, all, verb) => {
      const results = await Promise.all(all.map((workspace) => callVerb(workspace, verb, given)));
      return Array.isArray(results[0]) ? results.flat() : results.find(Boolean);
    },
  ],
  'is not atomic': [
    ['contacts.upsert', 'contacts.update', 'receiveMessage', 'recordEvent', 'deleteSubscription'],
    async (_, given, kept, __, verb) => {
      const copy = new MemoryWorkspace(workspaceRecord());
      await copy.replaceState(await kept.readState());
      const result = await callVerb(copy, verb, given);
      await kept.replaceState(await copy.readState());
      return result;
    },
  ],
  'leaves the events of a contact': [['deleteContact'], putsBack('events')],
  'leaves the journey runs of a contact': [['deleteContact'], putsBack('journeyRuns')],
  'leaves the deliveries to a subscription': [['deleteSubscription'], putsBack('deliveries')],
};

/** Workspaces of which one verb is broken, by what is wrong with it. */
export const brokenVerbs: Readonly<
  Record<string, (kept: WorkspaceStore, all: readonly WorkspaceStore[]) => WorkspaceStore>
> = Object.fromEntries([
  ...Object.entries(breaches).flatMap(([words, [verbs, breach]]) =>
    verbs.map((broken) => [
      `${broken} ${words}`,
      (kept: WorkspaceStore, all: readonly WorkspaceStore[]) =>
        aroundVerbs(kept, (verb, call, given) =>
          verb === broken ? breach(call, given, kept, all, verb) : call(...given),
        ),
    ]),
  ),
  ...[
    'completeEvent',
    'events.release',
    'sends.settle',
    'journeys.saveRun',
    'journeys.releaseRun',
    'outbox.recordAttempt',
  ].map((broken) => [
    `${broken} takes any claim for the latest`,
    (kept: WorkspaceStore) => {
      const latest = new Map<unknown, object>();
      return aroundVerbs(kept, async (verb, call, [first, ...others]) => {
        const claim = verb === broken && latest.get(Reflect.get(Object(first), 'id'));
        const result = await call(claim || first, ...others);
        for (const each of [result].flat()) {
          const given: unknown = Reflect.get(Object(each), 'claim');
          if (typeof given === 'object' && given !== null) latest.set(Reflect.get(given, 'id'), given);
        }
        return result;
      });
    },
  ]),
  ...['events.claimNext', 'sends.claimAbandoned', 'journeys.claimRun', 'outbox.claimDue'].map((broken) => [
    `${broken} gives again what is claimed`,
    (kept: WorkspaceStore) => {
      let last: unknown;
      return aroundVerbs(kept, async (verb, call, given) => {
        const claimed = await call(...given);
        if (verb !== broken) return claimed;
        if ([claimed ?? []].flat().length > 0) last = claimed;
        return last ?? claimed;
      });
    },
  ]),
]);

/** Changes some fields of the state of a workspace. */
async function changeState(
  kept: WorkspaceStore,
  change: (state: WorkspaceState) => Partial<WorkspaceState>,
): Promise<void> {
  const state = await kept.readState();
  await kept.replaceState({ ...state, ...change(state) });
}

/** Finds the record that was claimed least lately, instead of the oldest. */
function leastLately() {
  const turns: string[] = [];
  return <T extends { readonly id: string }>(records: readonly T[]): T | undefined => {
    const next = records.find(({ id }) => !turns.includes(id));
    if (next !== undefined) turns.push(next.id);
    return next;
  };
}

/** Workspaces that are broken in a way of their own, by the promise that each breaks. */
export const brokenWorkspaces: Readonly<Record<string, Alteration>> = {
  // Gives everything back to the plan, and from a quota that it read before another wrote it.
  'sends: that are rejected give back what they took to where they took it from': ({ sends }) => ({
    sends: {
      async settle(claim, outcome) {
        if (outcome.accepted || !outcome.refund) return sends.settle(claim, outcome);
        const { quota } = await sends.readQuota();
        const settled = await sends.settle(claim, { accepted: false, refund: false });
        if (settled) await sends.setQuota({ quota: quota + 1 });
        return settled;
      },
    },
  }),
  'events: are counted from after an instant, in whatever order they were processed': ({ events }) => ({
    events: { count: (contactId, event, since) => events.count(contactId, event, since - 1) },
  }),
  'events: that are abandoned again are claimed oldest first, whoever claimed which last': ({ events }) => {
    const next = leastLately();
    return {
      events: {
        async claimNext() {
          const claimed = await events.claimNext();
          const event = claimed && next(await events.list());
          return event ? { ...claimed, event } : claimed;
        },
      },
    };
  },
  // Adds runs without a check that the event is claimed and exists.
  'journey runs: do not begin where the contact is deleted while the event is claimed': (kept) => ({
    root: {
      async completeEvent(claim, runs) {
        if (await kept.completeEvent(claim, runs)) return true;
        await changeState(kept, ({ journeyRuns }) => ({ journeyRuns: [...journeyRuns, ...runs] }));
        return false;
      },
    },
  }),
  // Receives a message in two steps.
  'messages: change nothing where they cannot be composed': (kept) => ({
    root: {
      async receiveMessage(message) {
        const { created } = await kept.contacts.upsert(message.contact, 'merge');
        return { ...(await kept.receiveMessage(message)), created };
      },
    },
  }),
  'the outbox: gives what goes to another subscription to nobody else, though it was abandoned': ({
    outbox,
    subscriptions,
  }) => ({
    outbox: {
      async claimDue(subscriptionId, ...due) {
        const claimed = await outbox.claimDue(subscriptionId, ...due);
        if (claimed.length > 0) return claimed;
        const others = (await subscriptions.list()).filter(({ id }) => id !== subscriptionId);
        return (await Promise.all(others.map(({ id }) => outbox.claimDue(id, ...due)))).flat();
      },
    },
  }),
  // Has the running sends in its state.
  'state: has a send that is under way as not begun, and what it took given back': (kept) => ({
    root: {
      async readState() {
        const state = await kept.readState();
        const workspace = { ...state.workspace, ...(await kept.sends.readQuota()) };
        return { ...state, workspace, sends: await kept.sends.list() };
      },
    },
  }),
  // Gives every reader the same object.
  'state: is not changed by what happens afterwards': (kept) => {
    const shared: Partial<WorkspaceState> = {};
    return { root: { readState: async () => Object.assign(shared, await kept.readState()) } };
  },
};
