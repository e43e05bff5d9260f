import type { WorkspaceState } from '../../../../src/server/model/records.js';
import { altered, alteredTogether } from '../altered-store.js';
import type { BrokenStore } from './broken-store.js';

export const brokenStates: readonly BrokenStore[] = [
  [
    'mixes two states',
    'state: of a workspace is the same in another, but for the id',
    altered((kept) => ({
      root: {
        async replaceState(state) {
          const contacts = await kept.contacts.list();
          await kept.replaceState({ ...state, contacts: [...contacts, ...state.contacts] });
        },
      },
    })),
  ],
  [
    'takes what is claimed for processed',
    'state: has whatever was claimed waiting',
    altered((kept) => {
      const claimed = new Set<string>();
      return {
        events: {
          async claimNext() {
            const next = await kept.events.claimNext();
            if (next !== undefined) claimed.add(next.event.id);
            return next;
          },
        },
        root: {
          async readState() {
            const state = await kept.readState();
            const waitingEventIds = state.waitingEventIds.filter((id) => !claimed.has(id));
            return { ...state, waitingEventIds };
          },
        },
      };
    }),
  ],
  [
    'has a send in its state that is under way',
    'state: has a send that is under way as not begun, and what it took given back',
    altered((kept) => ({
      root: {
        async readState() {
          const state = await kept.readState();
          const workspace = { ...state.workspace, ...(await kept.sends.readQuota()) };
          return { ...state, workspace, sends: await kept.sends.list() };
        },
      },
    })),
  ],
  [
    'gives what a send under way took back to the plan',
    'state: gives back add-on credits as such to a send that is under way',
    altered((kept) => ({
      root: {
        async readState() {
          const { workspace, ...state } = await kept.readState();
          const { addOnCredits } = await kept.sends.readQuota();
          const quota = workspace.quota + workspace.addOnCredits - addOnCredits;
          return { ...state, workspace: { ...workspace, quota, addOnCredits } };
        },
      },
    })),
  ],
  [
    'has a delivery in its state that waits for a deleted subscription',
    'state: has a delivery under way to a subscription that was deleted as cancelled',
    altered((kept) => ({
      root: {
        readState: async () => ({ ...(await kept.readState()), deliveries: await kept.outbox.list() }),
      },
    })),
  ],
  [
    'shares its state',
    'state: is not changed by what happens afterwards',
    altered((kept) => {
      const shared: Partial<WorkspaceState> = {};
      return { root: { readState: async () => Object.assign(shared, await kept.readState()) } };
    }),
  ],
  [
    'leaves the claims of runs when its state is replaced',
    'state: can be put back, and what was claimed meanwhile settles nothing',
    altered((kept) => {
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
    }),
  ],
  [
    'deletes the contacts of all workspaces that have the id',
    'state: is of its own workspace alone',
    alteredTogether((_, all) => ({
      root: {
        async deleteContact(contactId) {
          const deletions = await Promise.all(all.map((workspace) => workspace.deleteContact(contactId)));
          return deletions.some(Boolean);
        },
      },
    })),
  ],
];
