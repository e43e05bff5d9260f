import { type Alteration, altered } from '../altered-store.js';
import type { BrokenStore } from './broken-store.js';
import { latestClaims } from './latest-claims.js';

/** Adds runs before it looks whether the event is claimed, or still there. */
const addsRunsOfAnyEvent: Alteration = (kept) => ({
  root: {
    async completeEvent(claim, runs) {
      const completed = await kept.completeEvent(claim, runs);
      if (completed) return true;
      const state = await kept.readState();
      await kept.replaceState({ ...state, journeyRuns: [...state.journeyRuns, ...runs] });
      return false;
    },
  },
});

export const brokenJourneyRuns: readonly BrokenStore[] = [
  [
    'adds runs for an event that is not claimed',
    'journey runs: begin with the event that starts them, and not twice',
    altered(addsRunsOfAnyEvent),
  ],
  [
    'gives a journey run to two claimers',
    'journey runs: are claimed when they are due, by one only',
    altered((kept) => ({
      journeys: {
        async claimRun(runId, now) {
          const run = (await kept.journeys.listRuns()).find(({ id }) => id === runId);
          const claimed = await kept.journeys.claimRun(runId, now);
          if (run?.status !== 'waiting' || run.dueAt > now) return undefined;
          return { run, claim: claimed?.claim ?? { id: runId, token: '' } };
        },
      },
    })),
  ],
  [
    'keeps the time at which a run was due before',
    'journey runs: can be claimed again once they were put back, when they are due',
    altered((kept) => ({
      journeys: {
        async saveRun(claim, run) {
          const known = (await kept.journeys.listRuns()).find(({ id }) => id === run.id);
          return kept.journeys.saveRun(claim, { ...run, dueAt: known?.dueAt ?? run.dueAt });
        },
      },
    })),
  ],
  [
    'keeps a run that was given back',
    'journey runs: that were given back can be claimed again as they were',
    altered(() => ({ journeys: { releaseRun: async () => {} } })),
  ],
  [
    'claims runs that are over',
    'journey runs: that are over are claimed no more, and listed in the order in which they began',
    altered((kept) => ({
      journeys: {
        async claimRun(runId, now) {
          const claimed = await kept.journeys.claimRun(runId, now);
          const run = (await kept.journeys.listRuns()).find(({ id }) => id === runId);
          if (run === undefined || run.status === 'waiting') return claimed;
          return { run, claim: { id: runId, token: '' } };
        },
      },
    })),
  ],
  [
    'does not look whether it has put a run back',
    'journey runs: are put back only by whoever has claimed them',
    altered((kept) => ({
      journeys: {
        async saveRun(claim, run) {
          await kept.journeys.saveRun(claim, run);
          return true;
        },
      },
    })),
  ],
  [
    'saves a journey run with a stale claim',
    'journey runs: whose lease runs out are claimed again, and only the latest claim puts them back',
    altered((kept) => {
      const latest = latestClaims();
      return {
        journeys: {
          claimRun: async (runId, now) => latest.note(await kept.journeys.claimRun(runId, now)),
          saveRun: (claim, run) => kept.journeys.saveRun(latest.of(claim), run),
        },
      };
    }),
  ],
  [
    'leaves the runs of a deleted contact behind',
    'journey runs: go with their contact, also while they are claimed',
    altered((kept) => ({
      root: {
        async deleteContact(contactId) {
          const { journeyRuns } = await kept.readState();
          const deleted = await kept.deleteContact(contactId);
          await kept.replaceState({ ...(await kept.readState()), journeyRuns });
          return deleted;
        },
      },
    })),
  ],
  [
    'adds runs for an event that is gone',
    'journey runs: do not begin where the contact is deleted while the event is claimed',
    altered(addsRunsOfAnyEvent),
  ],
  [
    'deletes the runs of a journey with the journey',
    'journey runs: stay when their journey is replaced or deleted',
    altered((kept) => ({
      journeys: {
        async delete(journeyId) {
          const state = await kept.readState();
          const journeyRuns = state.journeyRuns.filter((run) => run.journeyId !== journeyId);
          await kept.replaceState({ ...state, journeyRuns });
          return kept.journeys.delete(journeyId);
        },
      },
    })),
  ],
];
