import { Chance } from '../chance.js';

/** What is done to the service while it works. Times are in milliseconds; `at` counts from when the load began. */
export type Disruption = { readonly at: number } & (
  | OfReplica
  /** `pg_ctl restart -m immediate`: the server's processes quit where they are, and the log is replayed. */
  | { readonly kind: 'restart database'; readonly downFor: number }
);

type OfReplica = { readonly replica: number } & (
  | { readonly kind: 'kill' | 'terminate'; readonly downFor: number }
  /** SIGSTOP, and SIGCONT after so long. */
  | { readonly kind: 'stop'; readonly stoppedFor: number }
  /** All sessions of the replica are ended by the database. */
  | { readonly kind: 'cut connections' }
);

export type DisruptionKind = Disruption['kind'];

export const allDisruptions: readonly [DisruptionKind, ...DisruptionKind[]] = [
  'kill',
  'stop',
  'restart database',
  'cut connections',
  'terminate',
];

export interface DisruptionSettings {
  readonly seed: number;
  /** In milliseconds. */
  readonly duration: number;
  readonly replicas: number;
  readonly kinds: readonly DisruptionKind[];
  /** How long a stopped replica stays so: from and to, in milliseconds. More than the lease, or less. */
  readonly stop: readonly [number, number];
}

/** In milliseconds. */
const beforeTheFirst = 4_000;
const shortestGap = 2_500;
const longestGap = 6_500;

/**
 * What is to happen, in order: the same for the same seed. The kinds come in turns, each as often as the others. At least
 * one replica is left alone at any time, if there is more than one.
 */
export function planDisruptions(settings: DisruptionSettings): readonly Disruption[] {
  const { seed, duration, replicas, kinds, stop } = settings;
  const chance = new Chance(seed, 1);
  const busyUntil = Array.from({ length: replicas }, () => 0);
  const plan: Disruption[] = [];
  let turn: DisruptionKind[] = [];
  for (let at = beforeTheFirst; at < duration; at += chance.between(shortestGap, longestGap)) {
    if (turn.length === 0) turn = shuffled(kinds, chance);
    const kind = turn[0];
    if (kind === undefined) break;
    if (kind === 'restart database') {
      turn.shift();
      plan.push({ at, kind, downFor: chance.between(0, 3_000) });
      continue;
    }
    const free = busyUntil.flatMap((until, replica) => (until <= at ? [replica] : []));
    const [first, ...others] = free;
    // The last one that works is let be, but where there is only one anyway.
    if (first === undefined || (others.length === 0 && replicas > 1)) continue;
    turn.shift();
    const disruption = { at, ...disruptionOf(kind, chance.pick([first, ...others]), chance, stop) };
    plan.push(disruption);
    busyUntil[disruption.replica] = at + lengthOf(disruption) + recovery;
  }
  return plan;
}

/** How long a replica needs to be itself again, at the least. In milliseconds. */
const recovery = 1_500;

function disruptionOf(
  kind: OfReplica['kind'],
  replica: number,
  chance: Chance,
  [least, most]: readonly [number, number],
): OfReplica {
  switch (kind) {
    case 'kill':
    case 'terminate':
      return { kind, replica, downFor: chance.between(0, 5_000) };
    case 'stop':
      return { kind, replica, stoppedFor: chance.between(least, most) };
    case 'cut connections':
      return { kind, replica };
  }
}

/** How long a disruption lasts. */
function lengthOf(disruption: OfReplica): number {
  if (disruption.kind === 'cut connections') return 0;
  return disruption.kind === 'stop' ? disruption.stoppedFor : disruption.downFor;
}

function shuffled(kinds: readonly DisruptionKind[], chance: Chance): DisruptionKind[] {
  const left = [...kinds];
  return kinds.flatMap(() => left.splice(chance.between(0, left.length - 1), 1));
}
