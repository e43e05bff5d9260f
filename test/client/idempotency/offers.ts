/** One process that offers keys: `node offers.mjs <setting>`. It prints a mark for each key that it has offered. */

import {
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  type KeyValueService,
  MessagingAutomation,
  RequestError,
} from 'messaging-automation';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { Chance } from '../../soak/chance.js';
import { indices, phoneOf } from '../bulk/items.js';

export interface Sender {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly store: { readonly kind: 'redis' | 'postgres'; readonly url: string };
}

/** What a process receives. */
export interface Offers extends Sender {
  readonly keys: number;
  readonly seed: number;
}

export const keyOf = (index: number) => `campaign ${index}`;

/** Connects to a store, whose server may be killed and started again. */
export async function connectTo({ kind, url }: Sender['store']) {
  if (kind === 'redis') {
    const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: 20 } });
    client.on('error', () => {});
    await client.connect();
    return {
      store: createRedisKeyValueStore(client),
      prepare: async () => {},
      endLeases: async () => {
        const leases = await client.keys('messaging-automation:lease:*');
        for (const lease of leases) await client.del(lease);
      },
      close: async () => client.destroy(),
    };
  }
  const pool = new Pool({ connectionString: url, max: 8 });
  pool.on('error', () => {});
  const store = createPostgresKeyValueStore(pool);
  return {
    store,
    prepare: () => store.migrate(),
    endLeases: async () =>
      void (await pool.query("DELETE FROM messaging_automation_keys WHERE key LIKE 'lease:%'")),
    close: () => pool.end(),
  };
}

export function clientFor(
  { baseUrl, apiKey }: Sender,
  idempotencyStore: KeyValueService,
): MessagingAutomation {
  return new MessagingAutomation({
    baseUrl,
    apiKey,
    idempotencyStore,
    retries: 1,
    timeout: 5_000,
    onDrift: () => {},
  });
}

/**
 * Offers each of the items, eight at a time.
 *
 * @returns What has become of each: `sent`, or the code or the name of its error.
 */
export async function offer(
  { transactional }: MessagingAutomation,
  items: readonly number[],
  onOffered = () => {},
): Promise<ReadonlyMap<number, string>> {
  const outcomes = new Map<number, string>();
  const left = [...items];
  async function lane(): Promise<void> {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      const message = { phone: phoneOf(index), templateId: 'spring' };
      const result = await transactional.send(message, { idempotencyKey: keyOf(index) }).then(
        ({ success }) => (success === true ? 'sent' : 'unconfirmed'),
        (error: unknown) => (error instanceof RequestError ? (error.code ?? error.name) : String(error)),
      );
      outcomes.set(index, result);
      onOffered();
    }
  }
  await Promise.all(indices(8).map(lane));
  return outcomes;
}

const [, , given] = process.argv;
if (given?.startsWith('{')) {
  const setting: Offers = JSON.parse(given);
  const chance = new Chance(setting.seed, 0);
  const order = indices(setting.keys)
    .map((index) => ({ index, place: chance.between(0, 2 ** 30) }))
    .sort((one, other) => one.place - other.place)
    .map(({ index }) => index);
  const { store, close } = await connectTo(setting.store);
  await offer(clientFor(setting, store), order, () => process.stdout.write('.'));
  await close();
}
