import { showProgress } from './progress.js';
import { median } from './statistics.js';

/** Something to be measured beside others. */
export interface Contestant {
  readonly name: string;
  /** Does the work so many times. */
  run(times: number): Promise<void> | void;
}

export interface Standing {
  readonly name: string;
  /** CPU time in units of the baseline's: the median over the rounds. */
  readonly ratio: number;
  /** Microseconds of CPU time for doing the work once: the median over the rounds. */
  readonly cpu: number;
}

export interface Contest {
  readonly title: string;
  /** The first is the baseline. */
  readonly contestants: readonly Contestant[];
  /** How often each does the work in a round. */
  readonly times: number;
  readonly rounds: number;
}

/** Rounds that only let the compiler do its work. */
const warmUps = 3;

/**
 * Measures all side by side: in each round everyone has a turn, the order moves on by one, and each is compared with
 * the baseline of the same round, so that whatever slows the machine for a while slows all alike. What is taken is
 * the CPU time of this process, its garbage collection included; other processes hardly matter to it.
 */
export async function hold({ title, contestants, times, rounds }: Contest): Promise<readonly Standing[]> {
  const costs = contestants.map((): number[] => []);
  for (let round = -warmUps; round < rounds; round += 1) {
    showProgress(title, round + warmUps, rounds + warmUps);
    for (let turn = 0; turn < contestants.length; turn += 1) {
      const index = (turn + round + warmUps) % contestants.length;
      const contestant = contestants[index];
      if (!contestant) continue;
      const cost = await cpuTimeOf(contestant, times);
      if (round >= 0) costs[index]?.push(cost);
    }
  }
  showProgress(title, 1, 1);
  const [baseline = []] = costs;
  return contestants.map(({ name }, index) => {
    const own = costs[index] ?? [];
    return {
      name,
      cpu: median(own),
      ratio: median(own.map((cost, round) => cost / (baseline[round] ?? Number.NaN))),
    };
  });
}

/** Microseconds for once. */
async function cpuTimeOf(contestant: Contestant, times: number): Promise<number> {
  globalThis.gc?.(); // nobody pays for another's garbage
  const before = process.cpuUsage();
  await contestant.run(times);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}
