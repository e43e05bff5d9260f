import { expect, test } from 'vitest';
import type { EventRecord, WorkspaceRecord, WorkspaceState } from '../../../src/server/model/records.js';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import type { NewContact, SendOutcome, WorkspaceStore } from '../../../src/server/store/store.js';
import { brokenPromises } from './suite.js';

/** The arguments of a verb. */
type Given<Verb extends 'beginSend' | 'claimDueDeliveries' | 'receiveMessage' | 'recordAttempt'> = Parameters<
  WorkspaceStore[Verb]
>;

/** A store whose workspaces break a promise. */
class StoreOf extends MemoryStore {
  readonly #open: (record: WorkspaceRecord) => WorkspaceStore;
  readonly #opened = new Map<string, WorkspaceStore>();

  constructor(open: (record: WorkspaceRecord) => WorkspaceStore) {
    super();
    this.#open = open;
  }

  override async createWorkspace(record: WorkspaceRecord) {
    await super.createWorkspace(record);
    this.#opened.set(record.id, this.#open(record));
  }

  override workspace(workspaceId: string) {
    return this.#opened.get(workspaceId) ?? super.workspace(workspaceId);
  }
}

class LosesUpdates extends MemoryWorkspace {
  override async upsertContact(contact: NewContact, existing: 'merge' | 'replace') {
    const known = await this.findContactByPhone(contact.phone);
    const properties = { ...(existing === 'merge' && known?.properties), ...contact.properties };
    return super.upsertContact({ ...contact, properties }, 'replace');
  }
}

class SpendsTheLastCreditTwice extends MemoryWorkspace {
  override async beginSend(send: Given<'beginSend'>[0]) {
    const { quota, addOnCredits } = await this.readQuota();
    if (quota + addOnCredits === 0) return undefined;
    return (await super.beginSend(send)) ?? { ...send, status: 'pending' as const, paidBy: 'plan' as const };
  }
}

class RefundsWhateverItIsTold extends MemoryWorkspace {
  override async settleSend(sendId: string, outcome: SendOutcome) {
    await super.settleSend(sendId, { accepted: true });
    if (outcome.accepted || !outcome.refund) return;
    const state = await this.readState();
    const workspace = { ...state.workspace, quota: state.workspace.quota + 1 };
    await this.replaceState({ ...state, workspace, sends: state.sends.filter(({ id }) => id !== sendId) });
  }
}

class ClaimsEventsTwice extends MemoryWorkspace {
  override async claimNextEvent(): Promise<EventRecord | undefined> {
    const { events, waitingEventIds } = await this.readState();
    await super.claimNextEvent();
    return events.find(({ id }) => id === waitingEventIds[0]);
  }
}

class CountsEventsBeforeTheyAreProcessed extends MemoryWorkspace {
  override async countEvents(contactId: string, event: string, since: number) {
    const events = await this.listEvents();
    return events.filter(
      (each) => each.contactId === contactId && each.event === event && each.acceptedAt > since,
    ).length;
  }
}

class ClaimsJourneyRunsTwice extends MemoryWorkspace {
  override async claimJourneyRun(runId: string, now: number) {
    const run = (await this.listJourneyRuns()).find(({ id }) => id === runId);
    await super.claimJourneyRun(runId, now);
    return run?.status === 'waiting' && run.dueAt <= now ? run : undefined;
  }
}

class LeavesEventsAndRunsBehind extends MemoryWorkspace {
  override async deleteContact(contactId: string) {
    const { events, journeyRuns } = await this.readState();
    const deleted = await super.deleteContact(contactId);
    await this.replaceState({ ...(await this.readState()), events, journeyRuns });
    return deleted;
  }
}

class ClaimsDeliveriesTwice extends MemoryWorkspace {
  override async claimDueDeliveries(...[subscriptionId, now, limit]: Given<'claimDueDeliveries'>) {
    const due = (await this.listDeliveries()).filter(
      ({ status, dueAt = now }) => status === 'pending' && dueAt <= now,
    );
    await super.claimDueDeliveries(subscriptionId, now, limit);
    return due.slice(0, limit).map((delivery) => ({ delivery, secret: 'whsec_1' }));
  }
}

class KeepsWhatIsGivenBack extends MemoryWorkspace {
  override async releaseDelivery() {}
}

class TakesAttemptsThatNobodyClaimed extends MemoryWorkspace {
  override async recordAttempt(...[deliveryId, attempt, after]: Given<'recordAttempt'>) {
    const recorded = await super.recordAttempt(deliveryId, attempt, after);
    const known = (await this.listDeliveries()).find(({ id }) => id === deliveryId);
    return recorded ?? (known && { ...known, attempts: [...known.attempts, attempt] });
  }
}

class LeavesDeliveriesWaiting extends MemoryWorkspace {
  override async deleteSubscription(subscriptionId: string) {
    const { deliveries } = await this.readState();
    const deleted = await super.deleteSubscription(subscriptionId);
    await this.replaceState({ ...(await this.readState()), deliveries });
    return deleted;
  }
}

class ReceivesInTwoSteps extends MemoryWorkspace {
  override async receiveMessage(message: Given<'receiveMessage'>[0]) {
    const { created } = await this.upsertContact(message.contact, 'merge');
    return { ...(await super.receiveMessage(message)), created };
  }
}

class SharesItsState extends MemoryWorkspace {
  readonly #state: Partial<WorkspaceState> = {};

  override async readState() {
    return Object.assign(this.#state, await super.readState());
  }
}

class MixesStates extends MemoryWorkspace {
  override async replaceState(state: WorkspaceState) {
    const contacts = await this.listContacts();
    await super.replaceState({ ...state, contacts: [...contacts, ...state.contacts] });
  }
}

test.each([
  ['contacts: of one phone are one, however many upserts run at once, and no property is lost', LosesUpdates],
  [
    'sends: begin as often as there is something to pay, however many want the last at once',
    SpendsTheLastCreditTwice,
  ],
  ['sends: are settled once, whatever is said afterwards', RefundsWhateverItIsTold],
  ['events: are claimed by one only, however many claim at once', ClaimsEventsTwice],
  ['events: are counted by contact and name, once they were processed', CountsEventsBeforeTheyAreProcessed],
  ['journey runs: are claimed when they are due, by one only', ClaimsJourneyRunsTwice],
  [
    'events: go with their contact: those that wait, those that are claimed, and those that count',
    LeavesEventsAndRunsBehind,
  ],
  ['journey runs: go with their contact, also while they are claimed', LeavesEventsAndRunsBehind],
  ['the outbox: gives a delivery to one claimer, however many claim at once', ClaimsDeliveriesTwice],
  ['the outbox: takes back what was not attempted, as it was and to its old place', KeepsWhatIsGivenBack],
  [
    'the outbox: takes an attempt only at a delivery that is claimed, and one for each claim',
    TakesAttemptsThatNobodyClaimed,
  ],
  ['subscriptions: take what waits for them along, and leave the others alone', LeavesDeliveriesWaiting],
  ['messages: change nothing where they cannot be composed', ReceivesInTwoSteps],
  ['state: is not changed by what happens afterwards', SharesItsState],
  ['state: of a workspace is the same in another, but for the id', MixesStates],
] as const)('the check of "%s" catches a store that breaks it', async (promise, Broken) => {
  expect(await brokenPromises(async () => new StoreOf((record) => new Broken(record)))).toContain(promise);
});

class TakesKeysFromAnybody extends MemoryStore {
  override async removeApiKey(_: string, digest: string) {
    return super.removeApiKey((await this.findWorkspaceId(digest)) ?? '', digest);
  }
}

class ForgetsNothing extends MemoryStore {
  override async deleteWorkspace() {}
}

test.each([
  ['workspaces: lose a key once, and no key but their own', TakesKeysFromAnybody],
  ['workspaces: are deleted with all that they hold, and their keys', ForgetsNothing],
] as const)('the check of "%s" catches a store that breaks it', async (promise, Broken) => {
  expect(await brokenPromises(async () => new Broken())).toContain(promise);
});

test('the checks find nothing in a store that keeps its word', async () => {
  expect(await brokenPromises(async () => new StoreOf((record) => new MemoryWorkspace(record)))).toEqual([]);
});
