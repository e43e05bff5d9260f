import { type OtherProcess, startProcess } from '../measure/other-process.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report } from '../report/section.js';
import type { BenchDatabase } from './database.js';

const subscriptions = 10;

interface Contestant {
  readonly name: string;
  readonly replicas: readonly OtherProcess[];
  /** Deliveries in a second, round by round. */
  readonly rates: number[];
}

/** How many webhooks are delivered in a second to a receiver that responds at once: in memory, by one replica, by three. */
export async function measureDeliveries(database: BenchDatabase, short: boolean): Promise<Report> {
  const title = 'Deliveries over PostgreSQL';
  const rounds = short ? 2 : 7;
  const deliveries = short ? 1_200 : 6_000;
  const replica = new URL('processes/replica.ts', import.meta.url);
  await using receiver = await startProcess(new URL('../server/processes/receiver.ts', import.meta.url));
  const urls = Array.from(
    { length: subscriptions },
    (_, index) => `http://127.0.0.1:${receiver.ready.port}/${index}`,
  );
  await using started = new Processes();
  const contestants: Contestant[] = [];
  for (const [name, count, environment] of [
    ['in memory', 1, {}],
    ['one replica', 1, database.freshStore().environment],
    ['three replicas', 3, database.freshStore().environment],
  ] as const) {
    const replicas: OtherProcess[] = [];
    // One after the other: the first makes the workspace.
    for (let index = 0; index < count; index += 1) {
      replicas.push(started.add(await startProcess(replica, { environment })));
    }
    await replicas[0]?.ask('subscribe', urls.join(' '));
    contestants.push({ name, replicas, rates: [] });
  }
  const warmUps = 1;
  for (let round = -warmUps; round < rounds; round += 1) {
    showProgress(title, round + warmUps, rounds + warmUps);
    for (let step = 0; step < contestants.length; step += 1) {
      const contestant = contestants[(step + round + warmUps) % contestants.length];
      if (contestant === undefined) continue;
      const { replicas, rates } = contestant;
      const each = Math.round(deliveries / subscriptions / replicas.length);
      const start = performance.now();
      await Promise.all(replicas.map((process) => process.ask('receive', each)));
      const seconds = (performance.now() - start) / 1_000;
      if (round >= 0) rates.push((each * replicas.length * subscriptions) / seconds);
    }
  }
  showProgress(title, 1, 1);
  const [memory, one, three] = contestants;
  const row = (contestant: Contestant | undefined, beside: Contestant | undefined, target?: number) => ({
    name: contestant?.name ?? '',
    value: median(
      (contestant?.rates ?? []).map((rate, round) => rate / (beside?.rates[round] ?? Number.NaN)),
    ),
    measured: `${Math.round(median(contestant?.rates ?? [])).toLocaleString('en')}/s`,
    shown: true,
    ours: target !== undefined,
    target,
  });
  return {
    id: 'postgres-deliveries',
    method:
      `Each server and the receiver in a process of its own, PostgreSQL with fsync on on the same machine. Messages to ${subscriptions} ` +
      'subscriptions each, 32 taken in at a time by each replica, from the first until all deliveries are delivered. The ' +
      'contestants take turns; the medians of the ratios of the rounds count.',
    sections: [
      {
        title: 'Deliveries by one replica',
        unit: 'deliveries per second, × in memory',
        better: 'more',
        rows: [row(memory, memory), row(one, memory, 0.5)],
      },
      {
        title: 'Deliveries by three replicas',
        unit: 'deliveries per second, × one replica',
        better: 'more',
        rows: [row(one, one), row(three, one, 0.8)],
      },
    ],
  };
}

/** Processes that end together. */
class Processes implements AsyncDisposable {
  readonly #all: OtherProcess[] = [];

  add(process: OtherProcess): OtherProcess {
    this.#all.push(process);
    return process;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of this.#all) await process[Symbol.asyncDispose]();
  }
}
