import { altered } from '../altered-store.js';
import type { BrokenStore } from './broken-store.js';
import { latestClaims } from './latest-claims.js';

const whoseLeaseRunsOut =
  'sends: whose lease runs out are claimed by whoever asks for them, oldest first, and only the latest claim settles them';

export const brokenSends: readonly BrokenStore[] = [
  [
    'takes add-on credits before the plan',
    'sends: take from the plan before the add-on credits, and never more than there is',
    altered((kept) => ({
      sends: {
        async begin(send) {
          const { quota } = await kept.sends.readQuota();
          await kept.sends.setQuota({ quota: 0 });
          const begun = await kept.sends.begin(send);
          await kept.sends.setQuota({ quota });
          return begun ?? kept.sends.begin(send);
        },
      },
    })),
  ],
  [
    'spends the last credit twice',
    'sends: begin as often as there is something to pay, however many want the last at once',
    altered((kept) => ({
      sends: {
        async begin(send) {
          const { quota, addOnCredits } = await kept.sends.readQuota();
          if (quota + addOnCredits === 0) return undefined;
          const pending = { ...send, status: 'pending', paidBy: 'plan' } as const;
          return (await kept.sends.begin(send)) ?? { claim: { id: send.id, token: '' }, send: pending };
        },
      },
    })),
  ],
  [
    'leaves an accepted send pending',
    'sends: that are accepted are sent, and stay paid',
    altered((kept) => ({
      sends: { settle: async (claim, outcome) => outcome.accepted || kept.sends.settle(claim, outcome) },
    })),
  ],
  [
    'gives everything back to the plan',
    'sends: that are rejected give back what they took to where they took it from',
    altered((kept) => ({
      sends: {
        async settle(claim, outcome) {
          if (outcome.accepted || !outcome.refund) return kept.sends.settle(claim, outcome);
          const settled = await kept.sends.settle(claim, { accepted: false, refund: false });
          const { quota } = await kept.sends.readQuota();
          if (settled) await kept.sends.setQuota({ quota: quota + 1 });
          return settled;
        },
      },
    })),
  ],
  [
    'refunds every send that is rejected',
    'sends: that are rejected without a refund are forgotten, and stay paid',
    altered((kept) => ({
      sends: {
        settle: (claim, outcome) =>
          kept.sends.settle(claim, outcome.accepted ? outcome : { accepted: false, refund: true }),
      },
    })),
  ],
  [
    'refunds whatever it is told to',
    'sends: are settled once, whatever is said afterwards',
    altered((kept) => ({
      sends: {
        async settle(claim, outcome) {
          const settled = await kept.sends.settle(claim, { accepted: true });
          if (outcome.accepted || !outcome.refund) return settled;
          const state = await kept.readState();
          const workspace = { ...state.workspace, quota: state.workspace.quota + 1 };
          const sends = state.sends.filter(({ id }) => id !== claim.id);
          await kept.replaceState({ ...state, workspace, sends });
          return settled;
        },
      },
    })),
  ],
  [
    'settles a send with a stale claim',
    whoseLeaseRunsOut,
    altered((kept) => {
      const latest = latestClaims();
      return {
        sends: {
          begin: async (send) => latest.note(await kept.sends.begin(send)),
          claimAbandoned: async () => latest.note(await kept.sends.claimAbandoned()),
          settle: (claim, outcome) => kept.sends.settle(latest.of(claim), outcome),
        },
      };
    }),
  ],
  [
    'never finds an abandoned send',
    whoseLeaseRunsOut,
    altered(() => ({ sends: { claimAbandoned: async () => undefined } })),
  ],
  [
    'claims the send again that was claimed least lately',
    'sends: that are abandoned again are claimed oldest first, whoever claimed which last',
    altered((kept) => {
      const turns: string[] = [];
      return {
        sends: {
          async claimAbandoned() {
            const claimed = await kept.sends.claimAbandoned();
            const next = (await kept.sends.list()).find(({ id }) => !turns.includes(id));
            if (claimed === undefined || next === undefined) return claimed;
            turns.push(next.id);
            return { ...claimed, send: next };
          },
        },
      };
    }),
  ],
  [
    'writes a quota that it read before another wrote it',
    'sends: come out even when beginning and giving back run at once',
    altered((kept) => ({
      sends: {
        async settle(claim, outcome) {
          const { quota } = await kept.sends.readQuota();
          const settled = await kept.sends.settle(claim, outcome);
          if (settled && !outcome.accepted && outcome.refund) await kept.sends.setQuota({ quota: quota + 1 });
          return settled;
        },
      },
    })),
  ],
  [
    'deletes the sends of a contact with the contact',
    'sends: are listed in the order in which they began, also after their contact is gone',
    altered((kept) => ({
      root: {
        async deleteContact(contactId) {
          const state = await kept.readState();
          const sends = state.sends.filter((send) => send.contactId !== contactId);
          await kept.replaceState({ ...state, sends });
          return kept.deleteContact(contactId);
        },
      },
    })),
  ],
  [
    'takes add-on credits that are not named for used up',
    'sends: are paid from what is set, of the plan or the add-on credits alone too',
    altered((kept) => ({
      sends: { setQuota: ({ quota, addOnCredits = 0 }) => kept.sends.setQuota({ quota, addOnCredits }) },
    })),
  ],
  [
    'sets what is undefined to nothing',
    'sends: leave what a change of the quota has undefined',
    altered((kept) => ({
      sends: {
        async setQuota(change) {
          const { quota = 0, addOnCredits = 0 } = { ...(await kept.sends.readQuota()), ...change };
          return kept.sends.setQuota({ quota, addOnCredits });
        },
      },
    })),
  ],
];
