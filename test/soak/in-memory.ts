import { setTimeout as wait } from 'node:timers/promises';
import { createReferenceServer } from 'messaging-automation/server';
import { sentBy } from './accounting/audit.js';
import type { Evidence } from './accounting/evidence.js';
import { type MemorySample, trendOf } from './accounting/memory.js';
import { accountForPosts, type Post } from './accounting/posts.js';
import { auditTenants } from './accounting/take-evidence.js';
import { Chance } from './chance.js';
import { callerOf } from './control.js';
import { Receiver } from './receiver.js';
import { megabytes, type SoakOptions, type SoakResult, type Tally } from './report.js';
import { type Service, Tenant } from './tenant.js';

/** Of each round. The last one is closed with work in progress. */
const workspaces = 5;
const callers = 3;
const operations = 12;
/** How late a POST may be recorded of a workspace that is closed. In milliseconds. */
const closingTakes = 1_500;

/** What a round left: the evidence of its workspaces, and what their receiver saw. */
export interface Round {
  readonly evidence: readonly Evidence[];
  readonly posts: readonly Post[];
}

/** Plays rounds on one server until the time is over. */
export async function soakInMemory(
  options: SoakOptions,
  onRound?: (round: Round) => void,
): Promise<SoakResult> {
  const { seed, duration, tally, onProgress } = options;
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  const problems: string[] = [];
  const memory: MemorySample[] = [];
  const receiver = new Receiver(seed);
  const apiKey = `key_of_the_soak_${seed}`;
  const server = createReferenceServer({
    apiKey,
    // A receiver that never responds must not make a round last.
    deliveryTimeout: '200ms',
    log: (entry) => {
      if (entry.type === 'error') problems.push(`the server logs the error ${entry.message}`);
    },
  });
  let number = 0;
  try {
    await receiver.start();
    const { origin } = new URL((await server.listen()).baseUrl);
    const service: Service = {
      seed,
      caller: callerOf(origin),
      receiver,
      apiKey,
      next: () => ++number,
      client: { timeout: 1_000, backoff: { initial: 10, max: 40 }, maxRetryAfter: 50, onDrift: () => {} },
      faults: true,
      pauses: [0, 10],
      clockPauses: [0, 40],
    };
    let round = 0;
    do {
      round += 1;
      const { evidence, posts } = await play(round, service, origin, options, problems);
      onRound?.({ evidence, posts });
      const bytes = await sweptHeap();
      memory.push({ seconds: elapsed(), bytes });
      const counts = ['operations', 'attempts', 'events', 'sends'].map(
        (name) => `${tally.total(name)} ${name}`,
      );
      const verdict = problems.length === 0 ? 'all accounted for' : `${problems.length} DISCREPANCIES`;
      onProgress(
        `${elapsed().toFixed(0).padStart(4)} s  round ${round}, ${evidence.length} workspaces: ${counts.join(', ')}; heap ${megabytes(bytes)}; ${verdict}`,
      );
    } while (elapsed() * 1_000 < duration);
  } finally {
    await server.close();
    await receiver.close();
  }
  const trend = trendOf(memory);
  if (trend.verdict === 'growing') {
    problems.push(
      `the heap grows by ${megabytes(trend.slope)} a minute, ${(trend.growth * 100).toFixed(0)} % over the second half`,
    );
  }
  return { seconds: elapsed(), problems, memory: trend };
}

/** Opens workspaces, works on them, lets everything finish, and audits. */
async function play(
  round: number,
  service: Service,
  origin: string,
  { seed, tally }: SoakOptions,
  problems: string[],
): Promise<Round> {
  const { receiver } = service;
  const firstNumber = service.next();
  const tenants: Tenant[] = [];
  const closing = new Tenant(service, round, workspaces - 1);
  let closedAt = 0;
  const isWithin = (operation: number) => operation < operations;
  const working = Array.from({ length: workspaces - 1 }, async (_, index) => {
    const tenant = new Tenant(service, round, index);
    await tenant.open();
    tenants.push(tenant);
    await tenant.work(callers, isWithin);
  });
  const closed = closing.open().then(() =>
    Promise.all([
      closing.work(callers, isWithin),
      wait(new Chance(seed, round).between(50, 300)).then(async () => {
        await closing.close();
        closedAt = Date.now();
      }),
    ]),
  );
  const over = new AbortController();
  const interruptions = interrupt(receiver, new Chance(seed, -round), over.signal, tally);
  await Promise.all([...working, closed]).finally(() => over.abort());
  await interruptions;
  await Promise.all(tenants.map((tenant) => tenant.drain()));

  const evidence = await auditTenants(tenants, [origin], tally, problems);
  const closedPaths = new Set(
    closing.calls.flatMap((call) => (call.kind === 'subscribe' ? [new URL(call.url).pathname] : [])),
  );
  // What the receiver read after the server had given up the attempt, and the round was over.
  const ofRound = receiver.posts.filter(
    ({ path }) => Number(path.split('/t')[1] ?? firstNumber) >= firstNumber,
  );
  const late = ofRound.filter(({ path, at }) => closedPaths.has(path) && at > closedAt + closingTakes);
  if (late.length > 0) problems.push(`${closing.name}: ${late.length} POSTs came after it was closed`);
  const posts = ofRound.filter(({ path }) => !closedPaths.has(path));
  const account = accountForPosts(evidence.flatMap(sentBy), posts);
  problems.push(...account.problems.map((problem) => `round ${round}: ${problem}`));
  tally.add('POSTs', 'on record', account.recorded);
  tally.add('workspaces', 'closed early');
  receiver.clear();
  await Promise.all(tenants.map((tenant) => tenant.close()));
  return { evidence, posts };
}

/** Takes the receiver down and up again until the round is over. */
async function interrupt(receiver: Receiver, chance: Chance, over: AbortSignal, tally: Tally): Promise<void> {
  const pause = (least: number, most: number) =>
    wait(chance.between(least, most), undefined, { signal: over }).catch(() => {});
  while (!over.aborted) {
    await pause(200, 1_500);
    await receiver.close();
    tally.add('receiver', 'down');
    await pause(20, 300);
    await receiver.start();
  }
}

/** The heap in use without what nothing needs. In bytes. */
async function sweptHeap(): Promise<number> {
  for (let time = 0; time < 3; time += 1) {
    // Finalisers run between one turn and the next.
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}
