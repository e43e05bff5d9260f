import type { SegmentRecord, WorkspaceRecord, WorkspaceState } from '../../../src/server/model/records.js';
import type { Claim } from '../../../src/server/store/claim.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import type { Store, WorkspaceStore } from '../../../src/server/store/store.js';
import type { Alteration } from './altered-store.js';

// One broken store per promise at least: which verbs do something else, so that a check must find it.

/** Settles whatever is claimed with the latest claim, whichever it is given. */
function latestClaims() {
  const tokens = new Map<string, string>();
  return {
    note<T extends { readonly claim: Claim }>(claimed: T | undefined): T | undefined {
      if (claimed !== undefined) tokens.set(claimed.claim.id, claimed.claim.token);
      return claimed;
    },
    of: ({ id, token }: Claim): Claim => ({ id, token: tokens.get(id) ?? token }),
  };
}

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

/** Adds runs without a check that the event is claimed and exists. */
const addsRunsOfAnyEvent: Alteration = (kept) => ({
  root: {
    async completeEvent(claim, runs) {
      if (await kept.completeEvent(claim, runs)) return true;
      await changeState(kept, ({ journeyRuns }) => ({ journeyRuns: [...journeyRuns, ...runs] }));
      return false;
    },
  },
});

/** Broken verbs of the store itself, by promise. */
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
  // Gives each caller a workspace of its own.
  'workspaces: are the same to whoever asks for them': (kept) => {
    const records = new Map<string, WorkspaceRecord>();
    return {
      async createWorkspace(record) {
        records.set(record.id, record);
        await kept.createWorkspace(record);
      },
      workspace(workspaceId) {
        const record = records.get(workspaceId);
        return record === undefined ? kept.workspace(workspaceId) : new MemoryWorkspace(record);
      },
    };
  },
};

/** Altered verbs of workspaces, by subject and promise. */
export const brokenWorkspaces: Readonly<
  Record<string, Readonly<Record<string, Alteration | readonly Alteration[]>>>
> = {
  workspaces: {
    // Finds the contacts of all workspaces.
    'share nothing': (_, all) => ({
      contacts: {
        async findById(contactId) {
          const found = await Promise.all(all.map(({ contacts }) => contacts.findById(contactId)));
          return found.find((contact) => contact !== undefined);
        },
      },
    }),
    'list their templates in order, and find each by its id': ({ templates }) => ({
      templates: { list: async () => (await templates.list()).toSorted((a, b) => (a.id < b.id ? -1 : 1)) },
    }),
    // Finds what every object has by itself.
    'find a segment by its id, and journeys by theirs or by the event that starts them': ({ segments }) => ({
      segments: {
        async find(segmentId) {
          const byId: Readonly<Record<string, SegmentRecord>> = Object.fromEntries(
            (await segments.list()).map((segment) => [segment.id, segment]),
          );
          return byId[segmentId];
        },
      },
    }),
    // Counts rejected and deleted sends as forgotten.
    'have forgotten nothing that they still hold, nor what was taken out of them': (kept) => {
      let begun = 0;
      return {
        sends: {
          begin(send) {
            begun += 1;
            return kept.sends.begin(send);
          },
        },
        root: {
          async countForgotten() {
            const { length } = await kept.sends.list();
            return { ...(await kept.countForgotten()), sends: begun - length };
          },
        },
      };
    },
  },

  definitions: {
    // Moves a changed template to the end.
    'of templates are added, put in the place of their own, and deleted once': ({ templates }) => ({
      templates: {
        async put(template) {
          await templates.delete(template.id);
          await templates.put(template);
        },
      },
    }),
    'of segments are added, put in the place of their own, and deleted once': ({ segments }) => ({
      segments: { delete: (id) => segments.delete(id).then(() => true) },
    }),
    // Keeps the event of a replaced journey.
    'of journeys are added, put in the place of their own, and deleted once': ({ journeys }) => ({
      journeys: {
        async put(journey) {
          const known = await journeys.find(journey.id);
          await journeys.put({ ...journey, event: known?.event ?? journey.event });
        },
      },
    }),
    // Has its initial definitions in its state.
    'are part of the state as they stand': (kept) => {
      const beginning = kept.readState();
      return {
        root: {
          async readState() {
            const { templates, segments, journeys } = (await beginning).workspace;
            const state = await kept.readState();
            return { ...state, workspace: { ...state.workspace, templates, segments, journeys } };
          },
        },
      };
    },
    'are of their own workspace alone': (_, all) => ({
      templates: {
        list: async () => (await Promise.all(all.map(({ templates }) => templates.list()))).flat(),
      },
    }),
  },

  contacts: {
    // Gives a known contact the id of a new one.
    'are created once for a phone, then merged': ({ contacts }) => ({
      contacts: {
        async upsert(contact, existing) {
          const upserted = await contacts.upsert(contact, existing);
          return { ...upserted, contact: { ...upserted.contact, id: contact.newId } };
        },
      },
    }),
    'have other properties instead where they are to be replaced': ({ contacts }) => ({
      contacts: { upsert: (contact) => contacts.upsert(contact, 'merge') },
    }),
    // Loses an upsert that runs beside another.
    'of one phone are one, however many upserts run at once, and no property is lost': ({ contacts }) => ({
      contacts: {
        async upsert(contact, existing) {
          const known = await contacts.findByPhone(contact.phone);
          const properties = { ...(existing === 'merge' && known?.properties), ...contact.properties };
          return contacts.upsert({ ...contact, properties }, 'replace');
        },
      },
    }),
    // Loses an update that runs beside another.
    'are updated by merging, at once too; where there is none, nothing is': ({ contacts }) => ({
      contacts: {
        async update(newId, changes) {
          const known = await contacts.findById(newId);
          if (known === undefined) return undefined;
          const changed = { newId, phone: known.phone, properties: { ...known.properties, ...changes } };
          return (await contacts.upsert(changed, 'replace')).contact;
        },
      },
    }),
    'keep properties whose names objects have by themselves': ({ contacts }) => ({
      contacts: {
        upsert(contact, existing) {
          const properties = Object.entries(contact.properties).filter(([name]) => !(name in {}));
          return contacts.upsert({ ...contact, properties: Object.fromEntries(properties) }, existing);
        },
      },
    }),
    'that were read stay as they were': ({ contacts }) => ({
      contacts: {
        async update(contactId, properties) {
          const known = await contacts.findById(contactId);
          if (known !== undefined) Object.assign(known.properties, properties);
          return known;
        },
      },
    }),
    'are listed in the order in which they were created': ({ contacts }) => ({
      contacts: { list: async () => (await contacts.list()).toReversed() },
    }),
    'are deleted once, and their phone is free again': (kept) => ({
      root: { deleteContact: (id) => kept.deleteContact(id).then(() => true) },
    }),
  },

  sends: {
    // Takes add-on credits before the plan.
    'take from the plan before the add-on credits, and never more than there is': ({ sends }) => ({
      sends: {
        async begin(send) {
          const { quota } = await sends.readQuota();
          await sends.setQuota({ quota: 0 });
          const begun = await sends.begin(send);
          await sends.setQuota({ quota });
          return begun ?? sends.begin(send);
        },
      },
    }),
    // Spends the last credit twice.
    'begin as often as there is something to pay, however many want the last at once': ({ sends }) => ({
      sends: {
        async begin(send) {
          const { quota, addOnCredits } = await sends.readQuota();
          if (quota + addOnCredits === 0) return undefined;
          const pending = { ...send, status: 'pending', paidBy: 'plan' } as const;
          return (await sends.begin(send)) ?? { claim: { id: send.id, token: '' }, send: pending };
        },
      },
    }),
    'that are accepted are sent, and stay paid': ({ sends }) => ({
      sends: { settle: async (claim, outcome) => outcome.accepted || sends.settle(claim, outcome) },
    }),
    // Gives everything back to the plan.
    'that are rejected give back what they took to where they took it from': ({ sends }) => ({
      sends: {
        async settle(claim, outcome) {
          if (outcome.accepted || !outcome.refund) return sends.settle(claim, outcome);
          const settled = await sends.settle(claim, { accepted: false, refund: false });
          const { quota } = await sends.readQuota();
          if (settled) await sends.setQuota({ quota: quota + 1 });
          return settled;
        },
      },
    }),
    'that are rejected without a refund are forgotten, and stay paid': ({ sends }) => ({
      sends: {
        settle: (claim, outcome) =>
          sends.settle(claim, outcome.accepted ? outcome : { accepted: false, refund: true }),
      },
    }),
    // Refunds also a send that was accepted.
    'are settled once, whatever is said afterwards': (kept) => ({
      sends: {
        async settle(claim, outcome) {
          const settled = await kept.sends.settle(claim, { accepted: true });
          if (outcome.accepted || !outcome.refund) return settled;
          await changeState(kept, ({ workspace, sends }) => ({
            workspace: { ...workspace, quota: workspace.quota + 1 },
            sends: sends.filter(({ id }) => id !== claim.id),
          }));
          return settled;
        },
      },
    }),
    'whose lease runs out are claimed by whoever asks for them, oldest first, and only the latest claim settles them':
      [
        ({ sends }) => {
          const latest = latestClaims();
          return {
            sends: {
              begin: async (send) => latest.note(await sends.begin(send)),
              claimAbandoned: async () => latest.note(await sends.claimAbandoned()),
              settle: (claim, outcome) => sends.settle(latest.of(claim), outcome),
            },
          };
        },
        () => ({ sends: { claimAbandoned: async () => undefined } }),
      ],
    'that are abandoned again are claimed oldest first, whoever claimed which last': ({ sends }) => {
      const next = leastLately();
      return {
        sends: {
          async claimAbandoned() {
            const claimed = await sends.claimAbandoned();
            const send = claimed && next(await sends.list());
            return send ? { ...claimed, send } : claimed;
          },
        },
      };
    },
    // Writes a quota that it read before another wrote it.
    'come out even when beginning and giving back run at once': ({ sends }) => ({
      sends: {
        async settle(claim, outcome) {
          const { quota } = await sends.readQuota();
          const settled = await sends.settle(claim, outcome);
          if (settled && !outcome.accepted && outcome.refund) await sends.setQuota({ quota: quota + 1 });
          return settled;
        },
      },
    }),
    // Deletes the sends of a contact with the contact.
    'are listed in the order in which they began, also after their contact is gone': (kept) => ({
      root: {
        async deleteContact(gone) {
          await changeState(kept, ({ sends }) => ({
            sends: sends.filter((send) => send.contactId !== gone),
          }));
          return kept.deleteContact(gone);
        },
      },
    }),
    'are paid from what is set, of the plan or the add-on credits alone too': ({ sends }) => ({
      sends: { setQuota: ({ quota, addOnCredits = 0 }) => sends.setQuota({ quota, addOnCredits }) },
    }),
    // Sets what is undefined to zero.
    'leave what a change of the quota has undefined': ({ sends }) => ({
      sends: {
        async setQuota(change) {
          const { quota = 0, addOnCredits = 0 } = { ...(await sends.readQuota()), ...change };
          return sends.setQuota({ quota, addOnCredits });
        },
      },
    }),
  },

  events: {
    'are taken in for the contacts there are': (kept) => ({
      root: { recordEvent: (event) => kept.recordEvent(event).then(() => true) },
    }),
    'are listed and claimed oldest first, whoever they are of': ({ events }) => ({
      events: {
        list: async () => (await events.list()).toSorted((a, b) => a.contactId.localeCompare(b.contactId)),
      },
    }),
    // Gives an event to two claimers.
    'are claimed by one only, however many claim at once': (kept) => ({
      events: {
        async claimNext() {
          const { events, waitingEventIds } = await kept.readState();
          const claimed = await kept.events.claimNext();
          const event = events.find(({ id }) => id === waitingEventIds[0]);
          return event && { event, claim: claimed?.claim ?? { id: event.id, token: '' } };
        },
      },
    }),
    'are completed once, and only when they were claimed': (kept) => ({
      root: { completeEvent: (claim, runs) => kept.completeEvent(claim, runs).then(() => true) },
    }),
    // Counts events before they are processed.
    'are counted by contact and name, once they were processed': ({ events }) => ({
      events: {
        count: async (contactId, name, since) =>
          (await events.list()).filter(
            (each) => each.contactId === contactId && each.event === name && each.acceptedAt > since,
          ).length,
      },
    }),
    'are counted from after an instant, in whatever order they were processed': ({ events }) => ({
      events: { count: (contactId, event, since) => events.count(contactId, event, since - 1) },
    }),
    'whose lease runs out are claimed again, oldest first, and only the latest claim completes them': (
      kept,
    ) => {
      const latest = latestClaims();
      return {
        events: { claimNext: async () => latest.note(await kept.events.claimNext()) },
        root: { completeEvent: (claim, runs) => kept.completeEvent(latest.of(claim), runs) },
      };
    },
    'that were given back can be claimed again, and only by a claim of their own': () => ({
      events: { release: async () => {} },
    }),
    'that are abandoned again are claimed oldest first, whoever claimed which last': ({ events }) => {
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
    // Leaves the events of a deleted contact.
    'go with their contact: those that wait, those that are claimed, and those that count': (kept) => ({
      root: {
        async deleteContact(contactId) {
          const { events } = await kept.readState();
          const deleted = await kept.deleteContact(contactId);
          await changeState(kept, () => ({ events }));
          return deleted;
        },
      },
    }),
    // Looks for the contact in one step and adds the event in another.
    'of a contact that is deleted meanwhile are taken in and gone, or not taken in': (kept) => ({
      root: {
        async recordEvent(event) {
          const known = await kept.contacts.findById(event.contactId);
          if (known === undefined || (await kept.recordEvent(event))) return known !== undefined;
          await changeState(kept, ({ events, waitingEventIds }) => ({
            events: [...events, event],
            waitingEventIds: [...waitingEventIds, event.id],
          }));
          return true;
        },
      },
    }),
  },

  'journey runs': {
    'begin with the event that starts them, and not twice': addsRunsOfAnyEvent,
    'do not begin where the contact is deleted while the event is claimed': addsRunsOfAnyEvent,
    // Gives a run to two claimers.
    'are claimed when they are due, by one only': ({ journeys }) => ({
      journeys: {
        async claimRun(runId, now) {
          const run = (await journeys.listRuns()).find(({ id }) => id === runId);
          const claimed = await journeys.claimRun(runId, now);
          if (run?.status !== 'waiting' || run.dueAt > now) return undefined;
          return { run, claim: claimed?.claim ?? { id: runId, token: '' } };
        },
      },
    }),
    // Keeps the time at which a run was due before.
    'can be claimed again once they were put back, when they are due': ({ journeys }) => ({
      journeys: {
        async saveRun(claim, run) {
          const known = (await journeys.listRuns()).find(({ id }) => id === run.id);
          return journeys.saveRun(claim, { ...run, dueAt: known?.dueAt ?? run.dueAt });
        },
      },
    }),
    'that were given back can be claimed again as they were': () => ({
      journeys: { releaseRun: async () => {} },
    }),
    // Claims runs that are over.
    'that are over are claimed no more, and listed in the order in which they began': ({ journeys }) => ({
      journeys: {
        async claimRun(runId, now) {
          const claimed = await journeys.claimRun(runId, now);
          const run = (await journeys.listRuns()).find(({ id }) => id === runId);
          if (run === undefined || run.status === 'waiting') return claimed;
          return { run, claim: { id: runId, token: '' } };
        },
      },
    }),
    'are put back only by whoever has claimed them': ({ journeys }) => ({
      journeys: { saveRun: (claim, run) => journeys.saveRun(claim, run).then(() => true) },
    }),
    'whose lease runs out are claimed again, and only the latest claim puts them back': ({ journeys }) => {
      const latest = latestClaims();
      return {
        journeys: {
          claimRun: async (runId, now) => latest.note(await journeys.claimRun(runId, now)),
          saveRun: (claim, run) => journeys.saveRun(latest.of(claim), run),
        },
      };
    },
    // Leaves the runs of a deleted contact.
    'go with their contact, also while they are claimed': (kept) => ({
      root: {
        async deleteContact(contactId) {
          const { journeyRuns } = await kept.readState();
          const deleted = await kept.deleteContact(contactId);
          await changeState(kept, () => ({ journeyRuns }));
          return deleted;
        },
      },
    }),
    // Deletes the runs of a journey with the journey.
    'stay when their journey is replaced or deleted': (kept) => ({
      journeys: {
        async delete(gone) {
          await changeState(kept, ({ journeyRuns }) => ({
            journeyRuns: journeyRuns.filter(({ journeyId }) => journeyId !== gone),
          }));
          return kept.journeys.delete(gone);
        },
      },
    }),
  },

  subscriptions: {
    'are listed in the order in which they were created, those that are managed too': ({
      subscriptions,
    }) => ({
      subscriptions: { list: async () => (await subscriptions.list()).filter(({ managed }) => !managed) },
    }),
    'are deleted once': (kept) => ({
      root: { deleteSubscription: (id) => kept.deleteSubscription(id).then(() => true) },
    }),
    // Leaves the deliveries of a deleted subscription waiting.
    'take what waits for them along, and leave the others alone': (kept) => ({
      root: {
        async deleteSubscription(subscriptionId) {
          const { deliveries } = await kept.readState();
          const deleted = await kept.deleteSubscription(subscriptionId);
          await changeState(kept, () => ({ deliveries }));
          return deleted;
        },
      },
    }),
    // Cancels only what waited when the deletion began.
    'that are deleted while they are delivered to leave nothing that waits': (kept) => ({
      root: {
        async deleteSubscription(subscriptionId) {
          const before = new Set((await kept.outbox.list()).map(({ id }) => id));
          const deleted = await kept.deleteSubscription(subscriptionId);
          await changeState(kept, ({ deliveries }) => ({
            deliveries: deliveries.map((each) =>
              before.has(each.id) ? each : { ...each, status: 'pending' as const },
            ),
          }));
          return deleted;
        },
      },
    }),
  },

  messages: {
    // Looks whether the sender is known in a step before.
    'make their sender a contact, once': (kept) => ({
      root: {
        async receiveMessage(message) {
          const known = await kept.contacts.findByPhone(message.contact.phone);
          return { ...(await kept.receiveMessage(message)), created: known === undefined };
        },
      },
    }),
    'leave the properties of a sender who is known': (kept) => ({
      root: {
        async receiveMessage(message) {
          const received = await kept.receiveMessage(message);
          const { contact } = await kept.contacts.upsert(message.contact, 'replace');
          return { ...received, contact };
        },
      },
    }),
    'merge the properties that they give their sender': (kept) => ({
      root: {
        async receiveMessage(message) {
          const known = await kept.contacts.findByPhone(message.contact.phone);
          const properties = known === undefined ? message.contact.properties : {};
          return kept.receiveMessage({ ...message, contact: { ...message.contact, properties } });
        },
      },
    }),
    // Compares a consent with one that another message changes.
    'change a consent together with the deliveries that say so, and once': (kept) => ({
      root: {
        async receiveMessage(message) {
          const before = await kept.contacts.findByPhone(message.contact.phone);
          const changed = message.consent !== undefined && message.consent !== before?.consent;
          return kept.receiveMessage({ ...message, compose: (contact) => message.compose(contact, changed) });
        },
      },
    }),
    // Composes a message of the sender as they were before.
    'are composed of the sender as the message leaves them': (kept) => ({
      root: {
        async receiveMessage(message) {
          const { consent = 'unknown' } = { ...(await kept.contacts.findByPhone(message.contact.phone)) };
          return kept.receiveMessage({
            ...message,
            compose: (contact, changed) => message.compose({ ...contact, consent }, changed),
          });
        },
      },
    }),
    // Receives a message in two steps.
    'change nothing where they cannot be composed': (kept) => ({
      root: {
        async receiveMessage(message) {
          const { created } = await kept.contacts.upsert(message.contact, 'merge');
          return { ...(await kept.receiveMessage(message)), created };
        },
      },
    }),
    // Forgets the consent of a contact whose properties are replaced.
    'keep a consent that properties change around': (kept) => ({
      contacts: {
        async upsert(contact, existing) {
          const known = await kept.contacts.findByPhone(contact.phone);
          if (known === undefined || existing === 'merge') return kept.contacts.upsert(contact, existing);
          await kept.deleteContact(known.id);
          const upserted = await kept.contacts.upsert({ ...contact, newId: known.id }, existing);
          return { ...upserted, created: false };
        },
      },
    }),
    'put one delivery of each event into the outbox for each enabled subscription that wants it': ({
      subscriptions,
    }) => ({
      subscriptions: { create: (subscription) => subscriptions.create({ ...subscription, enabled: true }) },
    }),
    // Names a subscription for each of its deliveries.
    'name a subscription once, however many of their events it wants': (kept) => ({
      root: {
        async receiveMessage(message) {
          const before = new Set((await kept.outbox.list()).map(({ id }) => id));
          const received = await kept.receiveMessage(message);
          const added = (await kept.outbox.list()).filter(({ id }) => !before.has(id));
          return { ...received, subscriptionIds: added.map(({ subscriptionId }) => subscriptionId) };
        },
      },
    }),
  },

  'the outbox': {
    'gives what is due, oldest first, up to the limit, with the secret': ({ outbox }) => ({
      outbox: { claimDue: (id, now, limit) => outbox.claimDue(id, now, limit + 1) },
    }),
    // Orders what is due by its time alone.
    'gives what came at one time in the order in which it came': ({ outbox }) => ({
      outbox: {
        claimDue: async (...due) =>
          (await outbox.claimDue(...due))
            .toReversed()
            .sort((a, b) => (a.delivery.dueAt ?? 0) - (b.delivery.dueAt ?? 0)),
      },
    }),
    // Gives a delivery to two claimers.
    'gives a delivery to one claimer, however many claim at once': ({ outbox }) => ({
      outbox: {
        async claimDue(subscriptionId, now, limit) {
          const due = (await outbox.list()).filter(
            ({ status, dueAt = now }) => status === 'pending' && dueAt <= now,
          );
          const claimed = await outbox.claimDue(subscriptionId, now, limit);
          return due.slice(0, limit).map((delivery) => {
            const own = claimed.find(({ claim }) => claim.id === delivery.id);
            return { delivery, secret: 'whsec_1', claim: own?.claim ?? { id: delivery.id, token: '' } };
          });
        },
      },
    }),
    'is done with a delivery that is over': [
      // Leaves it due.
      ({ outbox }) => ({
        outbox: {
          async recordAttempt(...attempt) {
            const recorded = await outbox.recordAttempt(...attempt);
            return recorded && { dueAt: recorded.createdAt, ...recorded };
          },
        },
      }),
      // Drops fields of its attempt.
      ({ outbox }) => ({
        outbox: {
          recordAttempt: (claim, { machineTime, duration, receiverTime, timestamp, ...known }, after) =>
            outbox.recordAttempt(claim, known, after),
        },
      }),
    ],
    // Drops the attempts so far.
    'gives a delivery that is to be retried again when it is due, with its attempts so far': ({
      outbox,
    }) => ({
      outbox: {
        async claimDue(...due) {
          const claimed = await outbox.claimDue(...due);
          return claimed.map((each) => ({ ...each, delivery: { ...each.delivery, attempts: [] } }));
        },
      },
    }),
    'leaves what was read as it was': ({ outbox }) => ({
      outbox: {
        async recordAttempt(claim, ...attempt) {
          const before = (await outbox.list()).find(({ id }) => id === claim.id);
          const recorded = await outbox.recordAttempt(claim, ...attempt);
          return before && recorded && Object.assign(before, recorded);
        },
      },
    }),
    'retries with other bytes where it is given them': ({ outbox }) => ({
      outbox: {
        recordAttempt(claim, attempt, after) {
          const { status } = after;
          const same = status === 'pending' ? { status, dueAt: after.dueAt } : { status };
          return outbox.recordAttempt(claim, attempt, same);
        },
      },
    }),
    // Orders retries by their deliveries.
    'passes over what is not due yet, and gives retries in the order of their times': ({ outbox }) => ({
      outbox: {
        claimDue: async (...due) =>
          (await outbox.claimDue(...due)).toSorted((a, b) => a.delivery.createdAt - b.delivery.createdAt),
      },
    }),
    'takes an attempt only at a delivery that is claimed, and one for each claim': ({ outbox }) => ({
      outbox: {
        async recordAttempt(claim, attempt, after) {
          const recorded = await outbox.recordAttempt(claim, attempt, after);
          const known = (await outbox.list()).find(({ id }) => id === claim.id);
          return recorded ?? (known && { ...known, attempts: [...known.attempts, attempt] });
        },
      },
    }),
    'takes back what was not attempted, as it was and to its old place': () => ({
      outbox: { release: async () => {} },
    }),
    // Whatever is released waits again.
    'takes back nothing that is over': (kept) => ({
      outbox: {
        async release(claim) {
          await kept.outbox.release(claim);
          await changeState(kept, ({ deliveries }) => ({
            deliveries: deliveries.map((each) =>
              each.id === claim.id ? { ...each, status: 'pending' as const } : each,
            ),
          }));
        },
      },
    }),
    // Loses the running attempts to a deleted subscription.
    'lets an attempt end whose subscription was deleted, and retries nothing': (kept) => ({
      root: {
        async deleteSubscription(subscriptionId) {
          const deleted = await kept.deleteSubscription(subscriptionId);
          await changeState(kept, () => ({}));
          return deleted;
        },
      },
    }),
    'cancels what is given back when its subscription was deleted': ({ outbox, subscriptions }) => ({
      outbox: {
        async release(claim) {
          const delivery = (await outbox.list()).find(({ id }) => id === claim.id);
          const isThere = (await subscriptions.list()).some(({ id }) => id === delivery?.subscriptionId);
          if (isThere) await outbox.release(claim);
        },
      },
    }),
    'gives a delivery whose lease has run out again, and takes an attempt of the latest claim alone': ({
      outbox,
    }) => {
      const latest = latestClaims();
      return {
        outbox: {
          async claimDue(...due) {
            const claimed = await outbox.claimDue(...due);
            for (const each of claimed) latest.note(each);
            return claimed;
          },
          recordAttempt: (claim, ...attempt) => outbox.recordAttempt(latest.of(claim), ...attempt),
        },
      };
    },
    // Gives what was abandoned after everything else.
    'gives what was abandoned in the order of its times, among what nobody has claimed': ({ outbox }) => {
      const given = new Set<string>();
      return {
        outbox: {
          async claimDue(...due) {
            const claimed = await outbox.claimDue(...due);
            const again = claimed.filter(({ delivery }) => given.has(delivery.id));
            for (const { delivery } of claimed) given.add(delivery.id);
            return [...claimed.filter((each) => !again.includes(each)), ...again];
          },
        },
      };
    },
    'gives what goes to another subscription to nobody else, though it was abandoned': ({
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
    // Gives a released delivery again with its old claim.
    'gives what was released after its lease ran out once': ({ outbox }) => {
      const released = new Map<string, Claim>();
      return {
        outbox: {
          async claimDue(...due) {
            const claimed = await outbox.claimDue(...due);
            const again = (await outbox.list()).flatMap((delivery) => {
              const claim = released.get(delivery.id);
              return claim === undefined ? [] : [{ delivery, secret: 'whsec_1', claim }];
            });
            return [...claimed, ...again];
          },
          async release(claim) {
            await outbox.release(claim);
            released.set(claim.id, claim);
          },
        },
      };
    },
    'delivers the same bytes again, as a delivery of its own': [
      // With the attempts of before.
      ({ outbox }) => ({
        outbox: {
          async redeliver(deliveryId, ...fresh) {
            const again = await outbox.redeliver(deliveryId, ...fresh);
            const before = (await outbox.list()).find(({ id }) => id === deliveryId);
            return again && { ...again, attempts: before?.attempts ?? [] };
          },
        },
      }),
      // Without the delivery that it repeats.
      ({ outbox }) => ({
        outbox: {
          async redeliver(...fresh) {
            const again = await outbox.redeliver(...fresh);
            if (again === undefined) return undefined;
            const { redeliveryOf: _, ...others } = again;
            return others;
          },
        },
      }),
    ],
    'delivers nothing again that it does not know, or whose subscription is gone': ({ outbox }) => ({
      outbox: {
        async redeliver(deliveryId, newId, now) {
          const again = await outbox.redeliver(deliveryId, newId, now);
          const before = (await outbox.list()).find(({ id }) => id === deliveryId);
          return again ?? (before && { ...before, id: newId, createdAt: now, dueAt: now });
        },
      },
    }),
    // Lists what is over before what waits.
    'lists deliveries in the order in which they came, however they went': ({ outbox }) => ({
      outbox: {
        list: async () =>
          (await outbox.list()).toSorted(
            (a, b) => Number(a.status === 'pending') - Number(b.status === 'pending'),
          ),
      },
    }),
  },

  state: {
    // Mixes the contacts of two states.
    'of a workspace is the same in another, but for the id': (kept) => ({
      root: {
        async replaceState(state) {
          await kept.replaceState({
            ...state,
            contacts: [...(await kept.contacts.list()), ...state.contacts],
          });
        },
      },
    }),
    // Takes what is claimed for processed.
    'has whatever was claimed waiting': (kept) => {
      const claimed = new Set<string | undefined>();
      return {
        events: {
          async claimNext() {
            const next = await kept.events.claimNext();
            claimed.add(next?.event.id);
            return next;
          },
        },
        root: {
          async readState() {
            const state = await kept.readState();
            return { ...state, waitingEventIds: state.waitingEventIds.filter((id) => !claimed.has(id)) };
          },
        },
      };
    },
    // Has the running sends in its state.
    'has a send that is under way as not begun, and what it took given back': (kept) => ({
      root: {
        async readState() {
          const state = await kept.readState();
          const workspace = { ...state.workspace, ...(await kept.sends.readQuota()) };
          return { ...state, workspace, sends: await kept.sends.list() };
        },
      },
    }),
    // Gives everything back to the plan.
    'gives back add-on credits as such to a send that is under way': (kept) => ({
      root: {
        async readState() {
          const { workspace, ...state } = await kept.readState();
          const { addOnCredits } = await kept.sends.readQuota();
          const quota = workspace.quota + workspace.addOnCredits - addOnCredits;
          return { ...state, workspace: { ...workspace, quota, addOnCredits } };
        },
      },
    }),
    'has a delivery under way to a subscription that was deleted as cancelled': (kept) => ({
      root: {
        readState: async () => ({ ...(await kept.readState()), deliveries: await kept.outbox.list() }),
      },
    }),
    // Gives every reader the same object.
    'is not changed by what happens afterwards': (kept) => {
      const shared: Partial<WorkspaceState> = {};
      return { root: { readState: async () => Object.assign(shared, await kept.readState()) } };
    },
    // Keeps the claims of runs.
    'can be put back, and what was claimed meanwhile settles nothing': (kept) => {
      let replaced = false;
      return {
        journeys: {
          async saveRun(claim, run) {
            const again = replaced ? await kept.journeys.claimRun(claim.id, run.dueAt) : undefined;
            return kept.journeys.saveRun(again?.claim ?? claim, run);
          },
        },
        root: {
          async replaceState(state) {
            await kept.replaceState(state);
            replaced = true;
          },
        },
      };
    },
    // Deletes the contacts of all workspaces with the id.
    'is of its own workspace alone': (_, all) => ({
      root: {
        deleteContact: async (id) =>
          (await Promise.all(all.map((workspace) => workspace.deleteContact(id)))).some(Boolean),
      },
    }),
  },
};
