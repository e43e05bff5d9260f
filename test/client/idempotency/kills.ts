import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReferenceServer } from 'messaging-automation/server';
import { expect, onTestFinished } from 'vitest';
import { startNetwork } from '../../bulk/campaign/network.js';
import { bundle } from '../../run/bundle.js';
import { findPostgres } from '../../run/postgres-programs.js';
import { startPostgres } from '../../run/postgres-server.js';
import { startRedis } from '../../run/redis-server.js';
import { Chance } from '../../soak/chance.js';
import { within, withResolvers } from '../../waiting.js';
import { indices, phoneOf } from '../bulk/items.js';
import { clientFor, connectTo, keyOf, type Offers, offer } from './offers.js';

const processes = 3;
const concurrency = 8;
/** A process that offers thousands of keys takes minutes on a busy machine. In milliseconds. */
const longestProcess = 300_000;

export interface Kills {
  readonly keys: number;
  /** How often each key is offered, at least. */
  readonly offers: number;
  readonly kills: number;
  /** How often the store is killed and started again. */
  readonly restarts: number;
  readonly seed: number;
}

/**
 * Three processes at a time offer the same keys, each in its own order, while they and their store are killed and the network fails. In
 * the end no message was sent twice, and each that was not sent is named.
 */
export async function sendOnceThroughKills(
  kind: 'redis' | 'postgres',
  { keys, offers, kills, restarts, seed }: Kills,
): Promise<void> {
  const chance = new Chance(seed, 0);
  const server = createReferenceServer({
    quota: 2 * keys,
    templates: [{ id: 'spring', body: 'It is spring.' }],
    contacts: indices(keys).map((index) => ({ phone: phoneOf(index) })),
  });
  onTestFinished(() => server.close());
  const network = await startNetwork(server, new Chance(seed, 1));
  const program = await bundle({ file: 'test/client/idempotency/offers.ts' });
  const storeServer = await startStore(kind);
  const setting = {
    baseUrl: network.addresses.baseUrl,
    apiKey: server.apiKey,
    store: { kind, url: storeServer.url },
  };
  const connection = await connectTo(setting.store);
  onTestFinished(() => connection.close());
  await connection.prepare();

  network.isTroubled = true;
  let [killsLeft, restartsLeft, offersLeft] = [kills, restarts, keys * offers];
  let started = 0;

  /** One process after another, until every key was offered often enough and nobody is left to kill. */
  async function lane(): Promise<void> {
    while (offersLeft > 0 || killsLeft > 0) {
      started += 1;
      const given: Offers = { ...setting, keys, seed: seed + started };
      const child = spawn(process.execPath, [program, JSON.stringify(given)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      child.stdout.on('data', (marks: Uint8Array) => {
        offersLeft -= marks.length;
      });
      const end = once(child, 'close');
      if (killsLeft > 0) {
        killsLeft -= 1;
        await Promise.race([requests(chance.between(1, Math.ceil(keys / 2))), end]);
        child.kill('SIGKILL');
      }
      await within('the end of a process', end, () => `${offersLeft} offers left`, longestProcess);
    }
  }

  /** Resolves when so many more requests have come to the service, or have a response. */
  const waiting = new Set<() => void>();
  network.onMoment = () => {
    for (const tell of waiting) tell();
  };
  function requests(count: number): Promise<void> {
    const { promise, resolve } = withResolvers();
    let left = count;
    const tell = () => {
      left -= 1;
      if (left > 0) return;
      waiting.delete(tell);
      resolve();
    };
    waiting.add(tell);
    return promise;
  }

  async function restartStore(): Promise<void> {
    while (restartsLeft > 0) {
      restartsLeft -= 1;
      await Promise.race([requests(chance.between(1, keys)), lanes]);
      await storeServer.end('SIGKILL');
      await storeServer.start();
    }
  }

  const lanes = Promise.all(indices(processes).map(lane));
  await Promise.all([lanes, restartStore()]);
  network.isTroubled = false;
  network.mend();
  await connection.endLeases(); // as time does

  const client = clientFor(setting, connection.store);
  const outcomes = await offer(client, indices(keys));
  const sent = (await server.journal.sends()).map(({ phone }) => phone);
  expect(sent).toHaveLength(new Set(sent).size);
  const unknown = indices(keys).filter((index) => outcomes.get(index) === 'outcome_unknown');
  for (const index of indices(keys)) {
    if (outcomes.get(index) === 'outcome_unknown') continue;
    expect([index, outcomes.get(index)]).toEqual([index, 'sent']);
    expect([index, sent.includes(phoneOf(index))]).toEqual([index, true]);
  }
  const { outages, unclear } = network.troubles;
  const interruptions = kills + processes * (outages + restarts);
  expect(unknown.length).toBeLessThanOrEqual(unclear + concurrency * interruptions);

  // A person who looks at what has arrived ends each of them.
  for (const index of unknown) {
    const outcome = sent.includes(phoneOf(index)) ? 'sent' : 'not_sent';
    expect(await client.transactional.settle(keyOf(index), outcome)).toBe(true);
  }
  const settled = await offer(client, unknown);
  expect([...settled.values()].filter((outcome) => outcome !== 'sent')).toEqual([]);
  const all = (await server.journal.sends()).map(({ phone }) => phone);
  expect(all.toSorted()).toEqual(indices(keys).map(phoneOf).toSorted());
}

async function startStore(kind: 'redis' | 'postgres') {
  if (kind === 'redis') {
    const redis = await startRedis(true);
    onTestFinished(() => redis.stop());
    return redis;
  }
  const found = await findPostgres();
  if ('missing' in found) throw new Error(found.missing);
  const postgres = await startPostgres(found, { durable: true });
  onTestFinished(() => postgres.stop());
  return { url: postgres.url, end: () => postgres.end('SIGQUIT'), start: () => postgres.start() };
}
