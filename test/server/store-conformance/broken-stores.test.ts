import { expect, test } from 'vitest';
import type { WorkspaceState } from '../../../src/server/model/records.js';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import type { Store, WorkspaceStore } from '../../../src/server/store/store.js';
import { type Alteration, AlteredStore } from './altered-store.js';
import { inMemory } from './in-memory.js';
import { brokenPromises } from './suite.js';

const succeeded = { accepted: true } as const;

/** What a store does wrong, the promise that this breaks, and the verbs that do it. */
const alterations: readonly (readonly [wrong: string, promise: string, Alteration])[] = [
  [
    'loses an update that runs beside another',
    'contacts: of one phone are one, however many upserts run at once, and no property is lost',
    (kept) => ({
      contacts: {
        async upsert(contact, existing) {
          const known = await kept.contacts.findByPhone(contact.phone);
          const properties = { ...(existing === 'merge' && known?.properties), ...contact.properties };
          return kept.contacts.upsert({ ...contact, properties }, 'replace');
        },
      },
    }),
  ],
  [
    'spends the last credit twice',
    'sends: begin as often as there is something to pay, however many want the last at once',
    (kept) => ({
      sends: {
        async begin(send) {
          const { quota, addOnCredits } = await kept.sends.readQuota();
          if (quota + addOnCredits === 0) return undefined;
          const pending = { ...send, status: 'pending', paidBy: 'plan' } as const;
          return (await kept.sends.begin(send)) ?? { claim: { id: send.id, token: '' }, send: pending };
        },
      },
    }),
  ],
  [
    'refunds whatever it is told to',
    'sends: are settled once, whatever is said afterwards',
    (kept) => ({
      sends: {
        async settle(claim, outcome) {
          const settled = await kept.sends.settle(claim, succeeded);
          if (outcome.accepted || !outcome.refund) return settled;
          const state = await kept.readState();
          const workspace = { ...state.workspace, quota: state.workspace.quota + 1 };
          const sends = state.sends.filter(({ id }) => id !== claim.id);
          await kept.replaceState({ ...state, workspace, sends });
          return settled;
        },
      },
    }),
  ],
  [
    'settles a send with a stale claim',
    'sends: whose lease runs out are claimed by whoever asks for them, oldest first, and only the latest claim settles them',
    (kept) => {
      const latest = latestClaims();
      return {
        sends: {
          begin: async (send) => latest.note(await kept.sends.begin(send)),
          claimAbandoned: async () => latest.note(await kept.sends.claimAbandoned()),
          settle: (claim, outcome) => kept.sends.settle(latest.of(claim), outcome),
        },
      };
    },
  ],
  [
    'never finds an abandoned send',
    'sends: whose lease runs out are claimed by whoever asks for them, oldest first, and only the latest claim settles them',
    () => ({ sends: { claimAbandoned: async () => undefined } }),
  ],
  [
    'gives an event to two claimers',
    'events: are claimed by one only, however many claim at once',
    (kept) => ({
      events: {
        async claimNext() {
          const { events, waitingEventIds } = await kept.readState();
          const claimed = await kept.events.claimNext();
          const event = events.find(({ id }) => id === waitingEventIds[0]);
          return event && { event, claim: claimed?.claim ?? { id: event.id, token: '' } };
        },
      },
    }),
  ],
  [
    'completes an event with a stale claim',
    'events: whose lease runs out are claimed again, oldest first, and only the latest claim completes them',
    (kept) => {
      const latest = latestClaims();
      return {
        events: { claimNext: async () => latest.note(await kept.events.claimNext()) },
        root: { completeEvent: (claim, runs) => kept.completeEvent(latest.of(claim), runs) },
      };
    },
  ],
  [
    'counts events before they are processed',
    'events: are counted by contact and name, once they were processed',
    (kept) => ({
      events: {
        async count(contactId, event, since) {
          const events = await kept.events.list();
          return events.filter(
            (each) => each.contactId === contactId && each.event === event && each.acceptedAt > since,
          ).length;
        },
      },
    }),
  ],
  [
    'gives a journey run to two claimers',
    'journey runs: are claimed when they are due, by one only',
    (kept) => ({
      journeys: {
        async claimRun(runId, now) {
          const run = (await kept.journeys.listRuns()).find(({ id }) => id === runId);
          const claimed = await kept.journeys.claimRun(runId, now);
          if (run?.status !== 'waiting' || run.dueAt > now) return undefined;
          return { run, claim: claimed?.claim ?? { id: runId, token: '' } };
        },
      },
    }),
  ],
  [
    'saves a journey run with a stale claim',
    'journey runs: whose lease runs out are claimed again, and only the latest claim puts them back',
    (kept) => {
      const latest = latestClaims();
      return {
        journeys: {
          claimRun: async (runId, now) => latest.note(await kept.journeys.claimRun(runId, now)),
          saveRun: (claim, run) => kept.journeys.saveRun(latest.of(claim), run),
        },
      };
    },
  ],
  [
    'leaves events and runs behind',
    'events: go with their contact: those that wait, those that are claimed, and those that count',
    leavesEventsAndRuns,
  ],
  [
    'leaves events and runs behind',
    'journey runs: go with their contact, also while they are claimed',
    leavesEventsAndRuns,
  ],
  [
    'gives a delivery to two claimers',
    'the outbox: gives a delivery to one claimer, however many claim at once',
    (kept) => ({
      outbox: {
        async claimDue(subscriptionId, now, limit) {
          const due = (await kept.outbox.list()).filter(
            ({ status, dueAt = now }) => status === 'pending' && dueAt <= now,
          );
          const claimed = await kept.outbox.claimDue(subscriptionId, now, limit);
          return due.slice(0, limit).map((delivery) => ({
            delivery,
            secret: 'whsec_1',
            claim: claimed.find(({ claim }) => claim.id === delivery.id)?.claim ?? {
              id: delivery.id,
              token: '',
            },
          }));
        },
      },
    }),
  ],
  [
    'keeps what is released',
    'the outbox: takes back what was not attempted, as it was and to its old place',
    () => ({ outbox: { release: async () => {} } }),
  ],
  [
    'takes an attempt that nobody has claimed',
    'the outbox: takes an attempt only at a delivery that is claimed, and one for each claim',
    (kept) => ({
      outbox: {
        async recordAttempt(claim, attempt, after) {
          const recorded = await kept.outbox.recordAttempt(claim, attempt, after);
          const known = (await kept.outbox.list()).find(({ id }) => id === claim.id);
          return recorded ?? (known && { ...known, attempts: [...known.attempts, attempt] });
        },
      },
    }),
  ],
  [
    'takes an attempt of a stale claim',
    'the outbox: gives a delivery whose lease has run out again, and takes an attempt of the latest claim alone',
    (kept) => {
      const latest = latestClaims();
      return {
        outbox: {
          async claimDue(...given) {
            const claimed = await kept.outbox.claimDue(...given);
            for (const each of claimed) latest.note(each);
            return claimed;
          },
          recordAttempt: (claim, ...given) => kept.outbox.recordAttempt(latest.of(claim), ...given),
        },
      };
    },
  ],
  [
    'leaves the deliveries of a deleted subscription waiting',
    'subscriptions: take what waits for them along, and leave the others alone',
    (kept) => ({
      root: {
        async deleteSubscription(subscriptionId) {
          const { deliveries } = await kept.readState();
          const deleted = await kept.deleteSubscription(subscriptionId);
          await kept.replaceState({ ...(await kept.readState()), deliveries });
          return deleted;
        },
      },
    }),
  ],
  [
    'receives a message in two steps',
    'messages: change nothing where they cannot be composed',
    (kept) => ({
      root: {
        async receiveMessage(message) {
          const { created } = await kept.contacts.upsert(message.contact, 'merge');
          return { ...(await kept.receiveMessage(message)), created };
        },
      },
    }),
  ],
  [
    'shares its state',
    'state: is not changed by what happens afterwards',
    (kept) => {
      const shared: Partial<WorkspaceState> = {};
      return { root: { readState: async () => Object.assign(shared, await kept.readState()) } };
    },
  ],
  [
    'mixes two states',
    'state: of a workspace is the same in another, but for the id',
    (kept) => ({
      root: {
        async replaceState(state) {
          const contacts = await kept.contacts.list();
          await kept.replaceState({ ...state, contacts: [...contacts, ...state.contacts] });
        },
      },
    }),
  ],
];

test.each(alterations)('a store that %s breaks "%s"', async (_, promise, alteration) => {
  expect(await brokenPromises(altered(alteration))).toContain(promise);
});

test('the checks find nothing in a store that is altered in nothing', async () => {
  expect(await brokenPromises(altered(() => ({})))).toEqual([]);
});

class TakesKeysFromAnybody extends MemoryStore {
  override async removeApiKey(_: string, digest: string) {
    return super.removeApiKey((await this.findWorkspaceId(digest)) ?? '', digest);
  }
}

class DeletesNothing extends MemoryStore {
  override async deleteWorkspace() {}
}

const stores: readonly (readonly [wrong: string, promise: string, create: () => Store])[] = [
  [
    'takes keys from anybody',
    'workspaces: lose a key once, and no key but their own',
    () => new TakesKeysFromAnybody(),
  ],
  [
    'deletes nothing',
    'workspaces: are deleted with all that they hold, and their keys',
    () => new DeletesNothing(),
  ],
];

test.each(stores)('a store that %s breaks "%s"', async (_, promise, create) => {
  expect(await brokenPromises(async () => inMemory(create))).toContain(promise);
});

function altered(alteration: Alteration) {
  return async () => inMemory((lease) => new AlteredStore(lease, alteration));
}

/** Forgets which claim is whose: it settles whatever is claimed with the latest claim. */
function latestClaims() {
  const tokens = new Map<string, string>();
  return {
    note<T extends { readonly claim: { readonly id: string; readonly token: string } }>(
      claimed: T | undefined,
    ) {
      if (claimed !== undefined) tokens.set(claimed.claim.id, claimed.claim.token);
      return claimed;
    },
    of: ({ id, token }: { readonly id: string; readonly token: string }) => ({
      id,
      token: tokens.get(id) ?? token,
    }),
  };
}

function leavesEventsAndRuns(kept: WorkspaceStore): ReturnType<Alteration> {
  return {
    root: {
      async deleteContact(contactId) {
        const { events, journeyRuns } = await kept.readState();
        const deleted = await kept.deleteContact(contactId);
        await kept.replaceState({ ...(await kept.readState()), events, journeyRuns });
        return deleted;
      },
    },
  };
}
