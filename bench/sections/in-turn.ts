import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { findRedis, startRedis } from '../../test/run/redis-server.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import { type SignedDelivery, signedDeliveries } from '../peers/receivers.js';
import { startDatabase } from '../postgres/database.js';
import type { Report, Row } from '../report/section.js';

const stores = ['memory', 'Redis', 'PostgreSQL'] as const;
const deliveriesInRound = 400;
const rounds = 9;
const warmUps = 2;

/** What `inOrder` costs a contact that has no other delivery at the time. */
export async function measureInTurn(): Promise<Report> {
  const found = await findRedis();
  if ('missing' in found) throw new Error(`There is no Redis: ${found.missing}.`);
  const redis = await startRedis();
  await using database = await startDatabase();
  const program = fileURLToPath(new URL('../peers/in-turn-process.ts', import.meta.url));
  const child = fork(program, [redis.url, database.server.url]);
  const [port] = await once(child, 'message');
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  const rows: Row[] = [];
  for (const store of stores) rows.push(await compare(pool, store));
  await pool.close();
  child.kill();
  await once(child, 'exit');
  await redis.stop();
  return {
    id: 'in-turn',
    method:
      'From request to response, over a socket on this machine, one delivery of 0.5 KB after another, in turns of ' +
      `${deliveriesInRound}; the handler does nothing. PostgreSQL writes to its disk.`,
    sections: [
      {
        title: "Receive a delivery with inOrder: 'contact'",
        unit: 'time, × without inOrder',
        better: 'less',
        rows,
      },
    ],
  };
}

async function compare(pool: Pool, store: (typeof stores)[number]): Promise<Row> {
  const ratios: number[] = [];
  const times: number[] = [];
  for (let round = -warmUps; round < rounds; round += 1) {
    showProgress(`In turn, by ${store}`, round + warmUps, rounds + warmUps);
    const any = () => timeOf(pool, `/${store}/any`, `${store}_any_${round}_`);
    const inTurn = () => timeOf(pool, `/${store}/in-turn`, `${store}_in_turn_${round}_`);
    const [first, second] = round % 2 === 0 ? [await any(), await inTurn()] : [await inTurn(), await any()];
    const [without, own] = round % 2 === 0 ? [first, second] : [second, first];
    if (round < 0) continue;
    ratios.push(own / without);
    times.push(own);
  }
  showProgress(`In turn, by ${store}`, 1, 1);
  return {
    name: store,
    value: median(ratios),
    measured: `${median(times).toFixed(0)} µs`,
    ours: true,
    target: 1.5,
  };
}

/** Microseconds for one delivery. */
async function timeOf(pool: Pool, path: string, name: string): Promise<number> {
  const deliveries = signedDeliveries(deliveriesInRound, 512, name);
  const start = performance.now();
  for (const delivery of deliveries) await deliver(pool, path, delivery);
  return ((performance.now() - start) * 1_000) / deliveries.length;
}

async function deliver(pool: Pool, path: string, { body, headers }: SignedDelivery): Promise<void> {
  const { connection: _, ...sent } = headers; // the pool's own
  const response = await pool.request({ path, method: 'POST', headers: sent, body });
  await response.body.dump();
  if (response.statusCode !== 204) throw new Error(`${path} responded with ${response.statusCode}.`);
}
