import { type Figures, startProcess } from '../measure/other-process.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report, Section } from '../report/section.js';

/** How many deliveries to one subscription the server has under way at a time. */
const atOnce = 16;

/** How many webhooks are delivered in a second to a receiver that responds at once, beside a bare loop of undici. */
export async function measureDeliveries(short: boolean): Promise<Report> {
  const sections = [];
  for (const subscriptions of [1, 10]) sections.push(await deliverTo(subscriptions, short));
  return {
    id: 'server-deliveries',
    method:
      'Each of the deliverers and the receiver in a process of its own; the two deliver in turns, and the medians of the ' +
      `rounds count. The loop POSTs one body, signed beforehand, ${atOnce} at a time per subscription. The server takes in a ` +
      'message, writes, signs and sends the event for each subscription, and keeps the log.',
    sections,
  };
}

async function deliverTo(subscriptions: number, short: boolean): Promise<Section> {
  const title = `Deliveries to ${subscriptions === 1 ? 'one subscription' : `${subscriptions} subscriptions`}`;
  const rounds = short ? 3 : 7;
  const deliveries = short ? 600 : 4_000;
  const start = (program: string, argument: string) =>
    startProcess(new URL(`processes/${program}`, import.meta.url), { argument });
  await using receiver = await start('receiver.ts', '');
  const { port } = receiver.ready;
  await using loop = await start('undici-loop.ts', `${port}/${atOnce * subscriptions}`);
  await using server = await start('delivering-server.ts', `${port}/${subscriptions}`);
  const deliverers = [
    { name: 'undici loop', process: loop, ours: false, turns: [] as Figures[] },
    { name: 'reference server', process: server, ours: true, turns: [] as Figures[] },
  ];
  const warmUps = 2;
  for (let round = -warmUps; round < rounds; round += 1) {
    showProgress(title, round + warmUps, rounds + warmUps);
    for (const { process, turns } of round % 2 === 0 ? deliverers : deliverers.toReversed()) {
      const figures = await process.ask('deliver', deliveries);
      if (round >= 0) turns.push(figures);
    }
  }
  showProgress(title, 1, 1);
  const { received } = await receiver.ask('received');
  const expected = deliveries * (rounds + warmUps) * deliverers.length;
  if (received !== expected) throw new Error(`${received} deliveries arrived, not ${expected}.`);
  const rate = ({ milliseconds = Number.NaN }: Figures) => (deliveries / milliseconds) * 1_000;
  return {
    title,
    unit: 'deliveries per second, × a bare undici loop',
    better: 'more',
    rows: deliverers.map(({ name, ours, turns }) => ({
      name,
      value: median(turns.map((turn, round) => rate(turn) / rate(deliverers[0]?.turns[round] ?? {}))),
      measured:
        `${Math.round(median(turns.map(rate))).toLocaleString('en')}/s, ` +
        `${median(turns.map(({ cpu = Number.NaN }) => cpu / deliveries)).toFixed(0)} µs CPU`,
      shown: true,
      ours,
      target: ours ? 0.4 : undefined,
    })),
  };
}
