import { setTimeout as wait } from 'node:timers/promises';
import { type Figures, type OtherProcess, startProcess } from '../measure/other-process.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report } from '../report/section.js';

const dead = 100;
/** Milliseconds from one message to the next, and those after the last within which they are to have arrived. */
const interval = 20;
const patience = 10_000;

const company = [
  { name: 'alone', others: 'silent', count: 0 },
  { name: `beside ${dead} that never respond`, others: 'silent', count: dead },
  { name: `beside ${dead} that refuse`, others: 'refusing', count: dead },
] as const;

/** How long a healthy endpoint waits for its deliveries where others are dead. */
export async function measureDeadEndpoints(short: boolean): Promise<Report> {
  const rounds = short ? 1 : 3;
  const messages = short ? 100 : 600; // the latter for longer than it takes until the first retries
  const delays = company.map((): (readonly number[])[] => []);
  for (let round = 0; round < rounds; round += 1) {
    showProgress('A healthy endpoint beside dead ones', round, rounds);
    for (let step = 0; step < company.length; step += 1) {
      const index = (step + round) % company.length;
      const { others, count } = company[index] ?? company[0];
      delays[index]?.push(await delaysBeside(others, count, messages));
    }
  }
  showProgress('A healthy endpoint beside dead ones', 1, 1);
  const p99s = delays.map((turns) => turns.map((turn) => quantile(turn, 0.99)));
  return {
    id: 'server-dead-endpoints',
    method:
      `${messages} messages, one each ${interval} ms, from when each was due to when it arrived at the healthy endpoint, ` +
      'which is another process and the last to have subscribed. Each turn has fresh processes; the medians of the ' +
      'ratios to the same round alone count. What has not arrived ' +
      `${patience / 1_000} s after the last message counts as if it had then.`,
    sections: [
      {
        title: 'The p99 of a healthy endpoint',
        unit: 'time from message to arrival, × alone',
        better: 'less',
        rows: company.map(({ name, count }, index) => ({
          name,
          value: median((p99s[index] ?? []).map((p99, round) => p99 / (p99s[0]?.[round] ?? Number.NaN))),
          measured:
            `${median(p99s[index] ?? []).toFixed(1)} ms, ` +
            `p50 ${median((delays[index] ?? []).map((turn) => quantile(turn, 0.5))).toFixed(1)} ms`,
          shown: true,
          ours: count > 0,
          target: count > 0 ? 3 : undefined,
        })),
      },
    ],
  };
}

/** The delays of the messages in milliseconds, of a server with this environment. */
export async function delaysBeside(
  others: 'silent' | 'refusing',
  count: number,
  messages: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly number[]> {
  await using endpoints = await startProcess(new URL('processes/endpoints.ts', import.meta.url));
  const argument = `${endpoints.ready.healthy}/${endpoints.ready[others]}/${count}`;
  await using server = await startProcess(new URL('processes/beset-server.ts', import.meta.url), {
    argument,
    environment,
  });
  const due = await server.ask('receive', { messages, interval });
  return await delaysOf(due, endpoints, patience); // before the endpoints end
}

/**
 * How long after each message was due it arrived. In milliseconds.
 *
 * @param patience - For how long after the last message a late one is awaited. After that it counts as if it had arrived then.
 */
export async function delaysOf(
  due: Figures,
  endpoints: OtherProcess,
  patience: number,
): Promise<readonly number[]> {
  const messages = Object.entries(due);
  const deadline = Math.max(...Object.values(due)) + patience;
  let arrivals: Figures = {};
  while (
    messages.some(([message]) => arrivals[message] === undefined) &&
    Number(process.hrtime.bigint()) / 1e6 < deadline
  ) {
    await wait(100);
    arrivals = await endpoints.ask('arrivals');
  }
  return messages.map(([message, time]) => (arrivals[message] ?? deadline) - time);
}

export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN;
}
