import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Clock,
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  type IoredisClient,
  type KeyValueService,
  type NodeRedisClient,
} from '../../index.js';
import { UsageError } from '../terminal/failures.js';

/** A store with a connection of its own. */
export interface OpenStore {
  readonly store: KeyValueService;
  close(): void;
}

/** The packages that connect to a database, as far as a command uses them. They are the user's. */
export interface Drivers {
  redis(): Promise<NodeRedis>;
  ioredis(): Promise<Ioredis>;
  pg(): Promise<Pg>;
}

interface NodeRedis {
  createClient(options: { url: string; socket: { reconnectStrategy: false } }): NodeRedisConnection;
}

interface NodeRedisConnection extends NodeRedisClient {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  /** Version 4 has `disconnect` instead. */
  destroy?(): unknown;
  disconnect?(): Promise<unknown>;
}

interface Ioredis {
  readonly Redis: new (
    url: string,
    options: { lazyConnect: true; retryStrategy: () => null },
  ) => IoredisConnection;
}

interface IoredisConnection extends IoredisClient {
  connect(): Promise<unknown>;
  disconnect(): void;
}

interface Pg {
  readonly Client: new (options: { connectionString: string; application_name: string }) => PgClient;
}

interface PgClient {
  connect(): Promise<unknown>;
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  on(event: 'error', listener: () => void): unknown;
  end(): Promise<void>;
  /** Lets the process end although the connection is open. */
  unref?(): void;
}

/**
 * The packages that are installed beside this one, or else in the project of the working directory: `npx` and strict installers keep the
 * two apart.
 */
export const installed: Drivers = {
  redis: () => import('redis').catch(() => ofProject<NodeRedis>('redis')),
  ioredis: () => import('ioredis').catch(() => ofProject<Ioredis>('ioredis')),
  pg: async () => {
    const beside = await import('pg').catch(() => undefined);
    return beside?.default ?? ofProject<Pg>('pg');
  },
};

/** Loads a package of a project, as the programs in its folder do. Those of databases are CommonJS. */
export async function ofProject<Package>(name: string, folder: string = process.cwd()): Promise<Package> {
  const file = createRequire(join(folder, 'package.json')).resolve(name);
  const { default: loaded }: { readonly default: Package } = await import(pathToFileURL(file).href);
  return loaded;
}

/** How long connecting may take, and each command after it. In milliseconds. */
const longestConnecting = 10_000;
const longestCommand = 30_000;

/**
 * Opens a store in Redis, by the first of the two packages that is installed. Neither connects before its first command, so that the store
 * explains why Redis refuses a connection, too.
 */
export async function openRedis(
  url: string,
  prefix: string | undefined,
  clock: Clock,
  drivers: Drivers = installed,
): Promise<OpenStore> {
  const redis = await drivers.redis().catch(() => undefined);
  if (redis !== undefined) return openNodeRedis(redis, url, prefix, clock);
  const ioredis = await drivers.ioredis().catch(() => undefined);
  if (ioredis !== undefined) return openIoredis(ioredis, url, prefix, clock);
  throw new UsageError('A store in Redis needs the package redis or ioredis. Run: npm install redis');
}

function openNodeRedis(
  { createClient }: NodeRedis,
  url: string,
  prefix: string | undefined,
  clock: Clock,
): OpenStore {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on?.('error', () => {}); // the command rejects with it
  const run = commandsOver(clock, () => client.connect());
  const limited: NodeRedisClient = {
    eval: (script, options) => run(() => client.eval(script, options)),
  };
  return {
    store: createRedisKeyValueStore(limited, { prefix }),
    close: () => {
      if (!client.isOpen) return;
      if (client.destroy === undefined) client.disconnect?.().catch(() => {});
      else client.destroy();
    },
  };
}

function openIoredis({ Redis }: Ioredis, url: string, prefix: string | undefined, clock: Clock): OpenStore {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  let reason: unknown;
  client.on?.('error', (error) => {
    reason ??= error;
  });
  // `connect` rejects because the connection is closed, and the event says why.
  const connect = () =>
    client.connect().catch((error: unknown) => {
      throw reason ?? error;
    });
  const run = commandsOver(clock, connect);
  const limited: IoredisClient = {
    eval: (script, keyCount, ...words) => run(() => client.eval(script, keyCount, ...words)),
    call: (command, ...words) => run(() => client.call(command, ...words)),
  };
  return {
    store: createRedisKeyValueStore(limited, { prefix }),
    close: () => client.disconnect(),
  };
}

/** Opens a store in PostgreSQL. It does not connect before its first statement either. */
export async function openPostgres(
  connectionString: string,
  table: string | undefined,
  clock: Clock,
  drivers: Drivers = installed,
): Promise<OpenStore> {
  const { Client } = await drivers.pg().catch(() => {
    throw new UsageError('A store in PostgreSQL needs the package pg. Run: npm install pg');
  });
  const client = new Client({ connectionString, application_name: 'messaging-automation' });
  client.on('error', () => {}); // the statement rejects with it
  const run = commandsOver(clock, () => client.connect());
  let last: Promise<unknown> = Promise.resolve();
  return {
    store: createPostgresKeyValueStore(
      {
        // A client takes one statement at a time.
        query(text, values) {
          const result = last.then(() => run(() => client.query(text, values)));
          last = result.catch(() => {});
          return result;
        },
      },
      { table },
    ),
    close() {
      client.unref?.(); // a server that does not respond must not keep the process
      void client.end().catch(() => {});
    },
  };
}

/** Runs commands over a connection that the first one makes, and gives up on what takes too long. */
function commandsOver(clock: Clock, connect: () => Promise<unknown>) {
  let connected: Promise<unknown> | undefined;
  return async <Reply>(command: () => Promise<Reply>): Promise<Reply> => {
    connected ??= inTime(clock, longestConnecting, connect());
    await connected;
    return inTime(clock, longestCommand, command());
  };
}

function inTime<Result>(clock: Clock, longest: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => reject(Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' }));
    const cancel = clock.setTimer(late, longest);
    work.then(resolve, reject).finally(cancel);
  });
}
