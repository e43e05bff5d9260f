import { setTimeout as wait } from 'node:timers/promises';
import { type OtherProcess, startProcess } from '../measure/other-process.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report, Section } from '../report/section.js';
import { delaysOf, quantile } from '../server/dead-endpoints.js';
import type { BenchDatabase } from './database.js';
import type { Crowd } from './processes/fill-store.js';

const operations = [
  'a message, until it is delivered',
  'an event, until its segment has it',
  'a page of deliveries',
  'a page of contacts',
  'a wait for a delivery that is there',
] as const;

/** Milliseconds from one message to the next, and for which a late one is awaited. */
const interval = 50;
const patience = 30_000;

/** What a server costs where a store holds much, where a backlog is due, and where a workspace is deleted. */
export async function measureScale(database: BenchDatabase, short: boolean): Promise<Report> {
  const title = 'A store that holds much';
  const figures = short
    ? { deliveries: 4_000, members: 1_000, workspaces: 10, backlog: 500, deleted: 10_000 }
    : { deliveries: 400_000, members: 100_000, workspaces: 1_000, backlog: 100_000, deleted: 1_000_000 };
  const rounds = short ? 1 : 5;
  const times = short ? 5 : 40;
  const messages = short ? 40 : 400;
  await using endpoints = await startProcess(new URL('../server/processes/endpoints.ts', import.meta.url));
  await using receiver = await startProcess(new URL('../server/processes/receiver.ts', import.meta.url));
  const { deliveries, members, workspaces } = figures;
  const url = `http://127.0.0.1:${endpoints.ready.healthy}/`;
  const start = (crowd: Omit<Crowd, 'url'>) =>
    startProcess(new URL('processes/crowded-server.ts', import.meta.url), {
      argument: JSON.stringify({ ...crowd, url }),
      environment: database.freshStore().environment,
    });
  showProgress(`${title}: filling`, 0, 1);
  const few = await start({ deliveries: 1_000, members: 1_000, workspaces: 10, subscriptions: 20 });
  const idle = [await few.ask('idle', short ? 2 : 20)];
  const costs = operations.map((): [few: number[], many: number[]] => [[], []]);
  const measure = async (process: OtherProcess, index: 0 | 1, round: number) => {
    for (const [which, operation] of operations.entries()) {
      const { wall = Number.NaN } = await process.ask('run', { operation, times });
      if (round >= 0) costs[which]?.[index].push(wall);
    }
  };
  // One database does not do the work of two servers: one is measured, and ends, before the other begins.
  for (let round = -1; round < rounds; round += 1) await measure(few, 0, round);
  await few[Symbol.asyncDispose]();
  await using many = await start({ deliveries, members, workspaces, subscriptions: 20 });
  idle.push(await many.ask('idle', short ? 2 : 20));
  for (let round = -1; round < rounds; round += 1) {
    showProgress(`${title}: operations`, round + 1, rounds + 1);
    await measure(many, 1, round);
  }

  const delays = async (name: string, by: 'same' | 'neighbour') => {
    const due = await many.ask('receive', { messages, interval, name, by });
    return delaysOf(due, endpoints, patience);
  };
  showProgress(`${title}: a backlog`, 0, 1);
  const alone = {
    same: await delays('alone, same', 'same'),
    neighbour: await delays('alone, other', 'neighbour'),
  };
  const late = `http://127.0.0.1:${receiver.ready.port}/late`;
  const { megabytes: peakBefore = Number.NaN } = await many.ask('peak');
  const beganAt = performance.now();
  await many.ask('backlog', { url: late, count: figures.backlog });
  const beside = {
    neighbour: await delays('beside, other', 'neighbour'),
    same: await delays('beside, same', 'same'),
  };
  const drained = await untilNone(many, 'pending', 600_000);
  const { megabytes: peakAfter = Number.NaN } = await many.ask('peak');
  const drainRate = figures.backlog / ((performance.now() - beganAt) / 1_000);

  showProgress(`${title}: a deletion`, 0, 1);
  const before = await delays('before the deletion', 'same');
  await many.ask('close', figures.deleted);
  const deletionBegan = performance.now();
  const during = await delays('during the deletion', 'same');
  const { left = 0 } = await many.ask('deleted');
  const deletedRate = (figures.deleted - left) / ((performance.now() - deletionBegan) / 1_000);
  showProgress(title, 1, 1);

  const amount = (number: number) => number.toLocaleString('en');
  const sections: Section[] = [
    {
      title: `One operation among ${amount(deliveries)} deliveries, ${amount(members)} members and ${amount(workspaces)} workspaces`,
      unit: 'time, × among 1,000, 1,000 and 10; behind the bars ms at each',
      better: 'less',
      rows: operations.map((name, which) => {
        const [small, large] = costs[which] ?? [[], []];
        return {
          name,
          value: median(large) / median(small),
          measured: `${median(small).toFixed(1)} · ${median(large).toFixed(1)} ms`,
          shown: true,
          ours: true,
          target: 1.5,
        };
      }),
    },
    {
      title: `What idles: ${amount(workspaces)} workspaces with 20 subscriptions each`,
      unit: '× 10 workspaces, in a second',
      better: 'less',
      rows: (['transactions', 'rows', 'cpu'] as const).map((name) => ({
        name: name === 'cpu' ? 'CPU time of the server' : `${name} of the database`,
        value: (idle[1]?.[name] ?? Number.NaN) / (idle[0]?.[name] ?? Number.NaN),
        measured: idle.map((each) => each[name]?.toFixed(1)).join(' · '),
        shown: true,
        ours: true,
        target: 1.5,
      })),
    },
    {
      title: `A backlog of ${amount(figures.backlog)} deliveries to one endpoint`,
      unit: 'p99 from message to arrival, × alone',
      better: 'less',
      rows: [
        slower('another subscription of its workspace', alone.same, beside.same),
        slower('another workspace', alone.neighbour, beside.neighbour),
      ],
    },
    {
      title: 'The backlog itself',
      unit: 'deliveries per second',
      better: 'more',
      rows: [
        {
          name: drained ? 'until none is left' : 'not drained in ten minutes',
          value: drainRate,
          measured: 'with the messages beside it',
          ours: true,
        },
      ],
    },
    {
      title: 'The peak memory of the server',
      unit: 'MB of the process',
      better: 'less',
      rows: [
        { name: 'before the backlog', value: peakBefore, measured: 'with 1,000 workspaces', ours: false },
        {
          name: 'after the backlog',
          value: peakAfter,
          measured: `${(peakAfter - peakBefore).toFixed(0)} MB more`,
          ours: true,
        },
      ],
    },
    {
      title: `The deletion of a workspace with ${amount(figures.deleted)} deliveries`,
      unit: 'p99 from message to arrival, × before',
      better: 'less',
      rows: [
        {
          ...slower('another workspace', before, during),
          measured: `${amount(Math.round(deletedRate))} rows/s; ${quantile(before, 0.99).toFixed(0)} · ${quantile(during, 0.99).toFixed(0)} ms`,
        },
      ],
    },
  ];
  return {
    id: 'postgres-scale',
    method:
      'One server and PostgreSQL with fsync on, on one machine; the store is filled by copies of rows that the server wrote. ' +
      `${messages} messages, one each ${interval} ms, for each p99. The medians of the rounds.`,
    sections,
  };
}

function slower(name: string, alone: readonly number[], beside: readonly number[]) {
  const [one, other] = [quantile(alone, 0.99), quantile(beside, 0.99)];
  return {
    name,
    value: other / one,
    measured: `${one.toFixed(0)} · ${other.toFixed(0)} ms`,
    shown: true,
    ours: true,
    target: 3,
  };
}

async function untilNone(process: OtherProcess, question: string, limit: number): Promise<boolean> {
  const endsAt = performance.now() + limit;
  while (performance.now() < endsAt) {
    const { left } = await process.ask(question);
    if (left === 0) return true;
    await wait(500);
  }
  return false;
}
