import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { hold } from '../measure/contest.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import { createReceiverPeers, type SignedDelivery, signedDeliveries } from '../peers/receivers.js';
import type { Report, Row, Section } from '../report/section.js';

/**
 * As many deliveries as the default store can remember at the most, taken several times over. The collection that is
 * forced before each turn also throws away optimized code, so that short turns would measure the compiler.
 */
const sizes = [
  { name: '0.5 KB', bytes: 512, deliveries: 10_000, times: 60_000 },
  { name: '16 KB', bytes: 16_384, deliveries: 4_000, times: 20_000 },
] as const;

const targets: ReadonlyMap<string, number> = new Map([
  ['receiver, dedupe: false', 1.4],
  ['receiver, dedupe in memory', 2],
]);

/** What a receiver costs beside what it stands on: `unwrapWebhook`, and a route of Express. */
export async function measureReceivers(): Promise<Report> {
  const sections: Section[] = [];
  for (const { name, bytes, deliveries, times } of sizes) {
    const contestants = createReceiverPeers(signedDeliveries(deliveries, bytes));
    const standings = await hold({ title: `Receiving ${name}`, contestants, times, rounds: 7 });
    sections.push({
      title: `Receive a delivery of ${name}`,
      unit: 'CPU time, × unwrapWebhook',
      better: 'less',
      rows: standings.map((standing) => ({
        name: standing.name,
        value: standing.ratio,
        measured: `${standing.cpu.toFixed(1)} µs`,
        ours: standing.name.startsWith('receiver'),
        target: targets.get(standing.name),
      })),
    });
  }
  sections.push(await measureExpress());
  return {
    id: 'receivers',
    method:
      'CPU time, garbage collection included; each delivery is new to its receiver. Express is a process of its own, ' +
      'over sockets on this machine, in turns of 5,000 deliveries of 0.5 KB, 50 at a time; bare Express collects the ' +
      'body and calls unwrapWebhook.',
    sections,
  };
}

const routes = [
  { path: 'bare', name: 'bare Express' },
  { path: 'raw', name: 'bare Express with express.raw()' },
  { path: 'adapter', name: 'toNodeHandler', target: 0.8 },
  { path: 'forgetful', name: 'toNodeHandler, dedupe: false' },
] as const;
const deliveriesInRound = 5_000;
const rounds = 7;
const warmUps = 2;

async function measureExpress(): Promise<Section> {
  const child = fork(fileURLToPath(new URL('../peers/express-process.ts', import.meta.url)));
  const [port] = await once(child, 'message');
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 50 });
  const costs = routes.map((): number[] => []);
  for (let round = -warmUps; round < rounds; round += 1) {
    showProgress('Receiving with Express', round + warmUps, rounds + warmUps);
    const deliveries = signedDeliveries(deliveriesInRound, 512, `${round}_`);
    for (let turn = 0; turn < routes.length; turn += 1) {
      const index = (turn + round + warmUps) % routes.length;
      const before = await cpuTimeOf(child);
      await Promise.all(deliveries.map((delivery) => deliver(pool, `/${routes[index]?.path}`, delivery)));
      const cost = ((await cpuTimeOf(child)) - before) / deliveriesInRound;
      if (round >= 0) costs[index]?.push(cost);
    }
  }
  showProgress('Receiving with Express', 1, 1);
  await pool.close();
  child.kill();
  await once(child, 'exit');
  const [baseline = []] = costs;
  return {
    title: 'Receive deliveries with Express 5, over sockets',
    unit: 'requests for the same CPU time, × bare Express',
    better: 'more',
    rows: routes.map(({ name, ...route }, index): Row => {
      const own = costs[index] ?? [];
      return {
        name,
        value: median(own.map((cost, round) => (baseline[round] ?? Number.NaN) / cost)),
        measured: `${median(own).toFixed(0)} µs`,
        ours: name.startsWith('toNodeHandler'),
        target: 'target' in route ? route.target : undefined,
      };
    }),
  };
}

async function deliver(pool: Pool, path: string, { body, headers }: SignedDelivery): Promise<void> {
  const { connection: _, ...sent } = headers; // the pool's own
  const response = await pool.request({ path, method: 'POST', headers: sent, body });
  await response.body.dump();
  if (response.statusCode !== 204) throw new Error(`${path} responded with ${response.statusCode}.`);
}

/** Microseconds that the server's process has had. */
async function cpuTimeOf(child: ChildProcess): Promise<number> {
  child.send('CPU time');
  const [time] = await once(child, 'message');
  return Number(time);
}
