import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { bundle } from '../../run/bundle.js';
import { freePort } from '../../run/free-port.js';
import { endPool } from '../../run/postgres-server.js';
import { startRedis } from '../../run/redis-server.js';
import { type StoppableServer, startStoppable, untilReady } from '../../run/stoppable-server.js';

/** What holds a store's keys, in a process of its own. */
export interface Backend {
  readonly url: string;
  /** Set where the tests may take it away. */
  readonly server?: StoppableServer | undefined;
  /** Lets this time pass for its keys. */
  pass(milliseconds: number): Promise<unknown>;
}

/** One that the tests may take away. */
export interface OwnBackend extends Backend {
  readonly server: StoppableServer;
}

export const memory: Backend = { url: '', pass: async () => {} };

/** @param url - It names a database that no other test uses, because the time of each dedupe key in it passes. */
export function redisAt(url: string): Backend {
  if (!/\/\d+$/.test(url))
    throw new Error('A Redis whose time passes needs a database of its own, such as redis://127.0.0.1/9.');
  return {
    url,
    async pass(milliseconds) {
      const redis = new Redis(url, { lazyConnect: true });
      await redis.connect();
      const keys = await redis.keys('*dedupe:*');
      await Promise.all(keys.map(async (key) => redis.pexpire(key, (await redis.pttl(key)) - milliseconds)));
      redis.disconnect();
    },
  };
}

export async function ownRedis(keeps: boolean): Promise<OwnBackend> {
  const server = await startRedis(keeps);
  return { ...redisAt(`${server.url}/0`), server };
}

export function postgresAt(url: string, server?: StoppableServer): Backend {
  return {
    url,
    server,
    async pass(milliseconds) {
      const pool = new Pool({ connectionString: url });
      const earlier = `expires_at - ${milliseconds} * interval '1 millisecond'`;
      await pool.query(`UPDATE messaging_automation_keys SET expires_at = ${earlier}`);
      await endPool(pool);
    },
  };
}

export async function startKeyValueService(): Promise<OwnBackend> {
  const folder = await mkdtemp(join(tmpdir(), 'key-value-'));
  const port = await freePort();
  const program = await bundle({ file: 'test/webhooks/promises/durable-object-server.ts' });
  const launch = async () => {
    const server = spawn(process.execPath, [program, `${port}`, join(folder, 'storage.json')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await untilReady('The key-value service', server.stdout, 'ready');
    return server;
  };
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    server: await startStoppable({ launch, stopSignal: 'SIGTERM', folder }),
    pass: (milliseconds) => fetch(url, { method: 'POST', body: JSON.stringify(['pass', milliseconds]) }),
  };
}
