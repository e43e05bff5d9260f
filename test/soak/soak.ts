import { createReferenceServer } from 'messaging-automation/server';
import type { Breakage } from './accounting/damage.js';
import { type MemorySample, type MemoryTrend, trendOf } from './accounting/memory.js';
import { planRound } from './plan.js';
import { Receivers } from './receivers/receivers.js';
import { playRound } from './round.js';
import { receiverManners } from './scenario.js';
import { Tally } from './tally.js';

export interface SoakOptions {
  readonly seed: number;
  /** For how long rounds begin, in milliseconds. */
  readonly duration: number;
  readonly breakage: Breakage | undefined;
  /** Told of each round that is over. */
  readonly onRound: (progress: Progress) => void;
}

export interface Progress {
  readonly round: number;
  readonly seconds: number;
  readonly problems: number;
  readonly heap: number;
  readonly tally: Tally;
}

export interface SoakResult {
  readonly rounds: number;
  readonly seconds: number;
  readonly tally: Tally;
  readonly memory: MemoryTrend;
  readonly problems: readonly string[];
  /** How many problems there were besides. */
  readonly more: number;
}

/** No more problems are kept: a server that is broken breaks everything. */
const problemsKept = 100;
/** In milliseconds. A round takes some seconds. */
const longestRound = 3 * 60_000;
/** How long sockets and processes have to be gone once they were closed. In milliseconds. */
const timeToGo = 5_000;
/** What the breakage `leak` keeps of each round, in bytes. */
const leakOfEachRound = 3 * 1024 * 1024;

/** Plays rounds on one server until the time is over. */
export async function soak({ seed, duration, breakage, onRound }: SoakOptions): Promise<SoakResult> {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  const tally = new Tally();
  const problems: string[] = [];
  let found = 0;
  const tell = (...told: readonly string[]) => {
    found += told.length;
    problems.push(...told.slice(0, problemsKept - problems.length));
  };
  const receivers = new Receivers(seed, receiverManners);
  const server = createReferenceServer({
    // A receiver that never answers must not make a round last.
    deliveryTimeout: '200ms',
    log: (entry) => {
      if (entry.type === 'error') tell(`the server says that something went wrong inside: ${entry.message}`);
    },
  });
  const leaked: unknown[] = [];
  const memory: MemorySample[] = [];
  let number = 0;
  let round = 0;
  try {
    await receivers.start();
    const { baseUrl } = await server.listen();
    const site = { server, baseUrl, receivers, tally, next: () => ++number };
    while (elapsed() * 1_000 < duration) {
      round += 1;
      const outcome = await atMost(longestRound, playRound(planRound(seed, round), site, breakage));
      if (outcome === undefined) {
        tell(`round ${round} has not ended within ${longestRound / 60_000} minutes: something hangs`);
        break;
      }
      tell(...outcome);
      if (breakage === 'leak') leaked.push(new Array(leakOfEachRound / 8).fill(round));
      const bytes = await sweptHeap();
      memory.push({ seconds: elapsed(), bytes });
      onRound({ round, seconds: elapsed(), problems: found, heap: bytes, tally });
    }
  } finally {
    await server.close();
    tally.add('receivers', 'killed', receivers.kills);
    await receivers.close();
  }
  const trend = trendOf(memory);
  if (trend.verdict === 'growing') {
    tell(
      `the heap grows by ${(trend.slope / 2 ** 20).toFixed(1)} MB a minute, ${(trend.growth * 100).toFixed(0)} % over the second half`,
    );
  }
  tell(...(await leftovers()));
  return { rounds: round, seconds: elapsed(), tally, memory: trend, problems, more: found - problems.length };
}

/** The heap in use once what nobody needs is gone. In bytes. */
async function sweptHeap(): Promise<number> {
  for (let time = 0; time < 3; time += 1) {
    // Finalisers run between one turn and the next.
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

/** What keeps the process alive though all is closed: nothing may but its own input and output. */
async function leftovers(): Promise<readonly string[]> {
  const ownPipes = ['TTYWrap', 'PipeWrap'];
  const endsAt = performance.now() + timeToGo;
  let left: readonly string[] = [];
  do {
    left = process.getActiveResourcesInfo().filter((kind) => !ownPipes.includes(kind));
    if (left.length === 0) return [];
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (performance.now() < endsAt);
  return [`still there after everything was closed: ${left.join(', ')}`];
}

/** What the promise gives; undefined where that takes longer. */
async function atMost<T>(time: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), time);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
