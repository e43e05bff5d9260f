import type { Evidence } from './evidence.js';

/** Ways to falsify a soak's evidence, to test the audit. */
export const breakages = ['lose-delivery', 'duplicate-send', 'lose-event', 'leak'] as const;

export type Breakage = (typeof breakages)[number];

/** What an audit would see of a server that has this fault. Evidence in which nothing can be spoilt stays as it is. */
export function damaged(evidence: Evidence, breakage: Breakage | undefined): Evidence {
  const { before, after } = evidence;
  const isOld = (list: readonly { readonly id: string }[], id: string) => list.some((each) => each.id === id);
  switch (breakage) {
    case 'lose-delivery': {
      const victim = after.deliveries.find(({ id }) => !isOld(before.deliveries, id));
      return {
        ...evidence,
        after: { ...after, deliveries: after.deliveries.filter((each) => each !== victim) },
      };
    }
    case 'duplicate-send': {
      const twin = after.sends.find(({ id }) => !isOld(before.sends, id));
      const sends = twin === undefined ? after.sends : [...after.sends, { ...twin, id: `${twin.id}_again` }];
      return { ...evidence, after: { ...after, sends } };
    }
    case 'lose-event': {
      const victim = after.events.find(({ id }) => !isOld(before.events, id));
      return { ...evidence, after: { ...after, events: after.events.filter((each) => each !== victim) } };
    }
    default:
      return evidence;
  }
}
