import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
import { onTestFinished } from 'vitest';
import { type Network, startNetwork } from '../../bulk/campaign/network.js';
import { bundle } from '../../run/bundle.js';
import { findPostgres } from '../../run/postgres-programs.js';
import { startPostgres } from '../../run/postgres-server.js';
import { startRedis } from '../../run/redis-server.js';
import { Chance } from '../../soak/chance.js';
import { indices, phoneOf } from '../bulk/items.js';
import { operationOf } from './offers.js';
import { connectTo, type SharedStore, type StoreConnection } from './shared-store.js';

/** Where a campaign takes place. */
export interface Scene {
  readonly service: Service;
  /** The way to the service. */
  readonly network: Network;
  readonly baseUrl: string;
  /** The path of the program of the processes. */
  readonly program: string;
  readonly store: SharedStore;
  readonly storeServer: StoreServer;
  /** The connection of the campaign itself to the store. */
  readonly connection: StoreConnection;
}

interface Service {
  readonly server: ReferenceServer;
  readonly apiKey: string;
  /** The indices of the items that the service has carried out: one for each message and each event. */
  carriedOut(): Promise<readonly number[]>;
}

interface StoreServer {
  readonly url: string;
  end(signal: 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
}

export async function startScene(kind: SharedStore['kind'], keys: number, seed: number): Promise<Scene> {
  const service = startService(keys);
  const network = await startNetwork(service.server, new Chance(seed, 1));
  const program = await bundle({ file: 'test/client/idempotency/offering-program.ts' });
  const storeServer = await startStore(kind);
  const store: SharedStore = { kind, url: storeServer.url };
  const connection = await connectTo(store, true);
  onTestFinished(() => connection.close());
  await connection.prepare();
  const { baseUrl } = network.addresses;
  return { service, network, program, storeServer, connection, baseUrl, store };
}

/** A service with a contact for each key. */
function startService(keys: number): Service {
  let contacts = 0;
  let others = 0;
  const server = createReferenceServer({
    quota: 2 * keys,
    templates: [{ id: 'spring', body: 'It is spring.' }],
    contacts: indices(keys).map((index) => ({ phone: phoneOf(index) })),
    newId: (kind) => (kind === 'contact' ? `contact-${contacts++}` : `${kind}-${others++}`),
  });
  onTestFinished(() => server.close());
  const { apiKey, journal } = server;
  const indexOfPhone = new Map(indices(keys).map((index) => [phoneOf(index), index]));

  async function carriedOut(): Promise<readonly number[]> {
    const messages = (await journal.sends()).map(({ phone }) => indexOfPhone.get(phone) ?? Number.NaN);
    const events = (await journal.events()).map(({ contactId }) =>
      Number(contactId.slice('contact-'.length)),
    );
    const isMessage = (index: number) => operationOf(index) === 'transactional.send';
    if (!messages.every(isMessage) || events.some(isMessage))
      throw new Error('An item was carried out as the other kind.');
    return [...messages, ...events];
  }
  return { server, apiKey, carriedOut };
}

async function startStore(kind: SharedStore['kind']): Promise<StoreServer> {
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
