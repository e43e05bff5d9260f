import { Chance } from '../chance.js';

export const allDisruptions = ['kill', 'stop', 'restart database', 'cut connections', 'terminate'] as const;

type PlannedKind = (typeof allDisruptions)[number];

/**
 * A restore is not planned among the others: it has to wait until nobody minds that all is as it was. Nor is an upgrade, which happens
 * once.
 */
export type DisruptionKind = PlannedKind | 'restore backup' | 'upgrade';

/** What is done to the service while it works. Times are in milliseconds; `at` counts from the start of the load. */
export interface Disruption {
  readonly kind: DisruptionKind;
  readonly at: number;
  readonly lasts: number;
  /** Undefined for the database, which is restarted as by `pg_ctl restart -m immediate`, or goes back to a backup. */
  readonly replica: number | undefined;
}

export interface DisruptionSettings {
  readonly seed: number;
  /** In milliseconds. */
  readonly duration: number;
  readonly replicas: number;
}

/** In milliseconds. */
const beforeTheFirst = 4_000;
const shortestGap = 2_500;
const longestGap = 6_500;
/** How long a replica needs to recover, at the least. In milliseconds. */
const recovery = 1_500;

/**
 * Plans what happens, in order: the same for the same seed. The kinds come in turns, each as often as the others. At least
 * one replica is left alone at any time, if there is more than one.
 */
export function planDisruptions(settings: DisruptionSettings): readonly Disruption[] {
  const { seed, duration, replicas } = settings;
  const chance = new Chance(seed, 1);
  const times: Readonly<Record<PlannedKind, readonly [number, number]>> = {
    kill: [0, 5_000],
    terminate: [0, 5_000],
    // Longer than the lease, which is 10 s.
    stop: [11_500, 16_000],
    'cut connections': [0, 0],
    'restart database': [0, 3_000],
  };
  const busyUntil = Array.from({ length: replicas }, () => 0);
  const plan: Disruption[] = [];
  let turn: PlannedKind[] = [];
  for (let at = beforeTheFirst; at < duration; at += chance.between(shortestGap, longestGap)) {
    if (turn.length === 0) turn = shuffled(allDisruptions, chance);
    const [kind] = turn;
    if (kind === undefined) break;
    const lasts = chance.between(...times[kind]);
    const free = busyUntil.flatMap((until, replica) => (until <= at ? [replica] : []));
    const [first, ...others] = free;
    if (kind === 'restart database') plan.push({ at, kind, lasts, replica: undefined });
    // The last one that works is left alone, unless there is only one.
    else if (first === undefined || (others.length === 0 && replicas > 1)) continue;
    else {
      const replica = chance.pick([first, ...others]);
      plan.push({ at, kind, lasts, replica });
      busyUntil[replica] = at + lasts + recovery;
    }
    turn.shift();
  }
  return plan;
}

function shuffled(kinds: readonly PlannedKind[], chance: Chance): PlannedKind[] {
  const left = [...kinds];
  return kinds.flatMap(() => left.splice(chance.between(0, left.length - 1), 1));
}
