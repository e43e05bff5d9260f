import { Redis } from 'ioredis';
import {
  createPostgresDedupeStore,
  createRedisDedupeStore,
  createWebhookReceiver,
  type DedupeStore,
  signTestDelivery,
  toFetchHandler,
} from 'messaging-automation/webhooks';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { missingPostgres, useOwnPostgres } from '../../postgres/support/database.js';
import { notRun } from '../../run/debian.js';
import { findRedis, type RedisServer, startRedis } from '../../run/redis-server.js';
import type { StoppableServer } from '../../run/stoppable-server.js';
import { ManualClock } from '../../server/support/manual-clock.js';

interface Outage {
  readonly name: string;
  begin(server: StoppableServer): Promise<void>;
  end(server: StoppableServer): Promise<void>;
}

const outages: readonly Outage[] = [
  { name: 'restarts', begin: (server) => server.end('SIGINT'), end: (server) => server.start() },
  { name: 'is killed', begin: (server) => server.end('SIGKILL'), end: (server) => server.start() },
  { name: 'answers nothing for a while', begin: (server) => server.freeze(), end: (server) => server.thaw() },
];

/**
 * What a receiver promises while the server of its store goes away under load, and after it. Nobody listens to the
 * errors of the client but the store: an error that nobody hears ends the process.
 */
function outlivesOutages(
  setUp: () => { readonly store: DedupeStore; readonly server: StoppableServer },
): void {
  test.each(outages)(
    'when the server $name, nothing is lost and the process goes on',
    { timeout: 90_000 },
    async ({ begin, end }) => {
      vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      const fatal = fatalErrors();
      const { store, server } = setUp();
      const { send, sendAll, answered, handled } = receiverOn(store);

      const underLoad = sendAll(0, 100);
      await Promise.race(underLoad);
      const began = begin(server);
      const whileDown = sendAll(100, 200);
      await began;
      for (const { id, status } of await answered([...underLoad, ...whileDown])) {
        expect([204, 500, 503]).toContain(status);
        if (status === 204) expect(handled(id)).toBeGreaterThan(0);
      }

      await end(server);
      for (let id = 0; id < 200; id += 1) {
        // As the service does, only sooner and more often.
        await expect.poll(() => send(id), { timeout: 20_000, interval: 20 }).toBe(204);
        expect(handled(id)).toBeGreaterThan(0);
      }
      const counts = Array.from({ length: 200 }, (_, id) => handled(id));
      for (const { status } of await Promise.all(sendAll(0, 200))) expect(status).toBe(204);
      expect(Array.from({ length: 200 }, (_, id) => handled(id))).toEqual(counts);

      // And once more while no connection is in use: those are the ones whose errors nobody waits for.
      await begin(server);
      await end(server);
      await expect.poll(() => send(200), { timeout: 20_000, interval: 20 }).toBe(204);
      expect(fatal()).toEqual([]);
      vi.restoreAllMocks();
    },
  );
}

/** Collects what would have ended the process, until the test is finished. */
function fatalErrors(): () => readonly string[] {
  const messages: string[] = [];
  const collect = (error: unknown) => void messages.push(String(error));
  const events = ['uncaughtException', 'unhandledRejection'] as const;
  for (const event of events) process.on(event, collect);
  onTestFinished(() => {
    for (const event of events) process.off(event, collect);
  });
  return () => messages;
}

function receiverOn(dedupe: DedupeStore) {
  const secret = 'whsec_outages';
  const clock = new ManualClock();
  const counts = new Map<string, number>();
  const receiver = createWebhookReceiver<Request>({
    secret,
    dedupe,
    clock,
    // Of the server's time, which passes by itself: the answer to a claim may be lost, and the claim is not.
    lease: 250,
    onError: () => {},
  }).on('message.received', ({ data }) => {
    counts.set(data.messageId, (counts.get(data.messageId) ?? 0) + 1);
  });
  const handle = toFetchHandler(receiver);
  const run = crypto.randomUUID();
  const nameOf = (id: number) => `${run}/${id}`;
  const send = async (id: number) => {
    const delivery = signTestDelivery({
      secret,
      event: 'message.received',
      data: { messageId: nameOf(id) },
      clock,
    });
    return (await handle(delivery.toRequest())).status;
  };
  return {
    send,
    handled: (id: number) => counts.get(nameOf(id)) ?? 0,
    sendAll: (from: number, to: number) =>
      Array.from({ length: to - from }, async (_, index) => ({
        id: from + index,
        status: await send(from + index),
      })),
    /** Lets time pass, deadlines too, until each delivery has its answer. */
    async answered<Answer>(answers: readonly Promise<Answer>[]): Promise<readonly Answer[]> {
      let isOpen = true;
      const all = Promise.all(answers).finally(() => {
        isOpen = false;
      });
      const passing = () => {
        clock.pass(1_000);
        return isOpen;
      };
      await expect.poll(passing, { timeout: 20_000, interval: 20 }).toBe(false);
      return all;
    },
  };
}

const redis = await findRedis();
const redisSuffix = 'missing' in redis ? notRun('the receiver with a Redis that fails', redis.missing) : '';

const clients: Readonly<Record<string, (url: string) => Promise<{ store: DedupeStore; close: () => void }>>> =
  {
    async 'node-redis'(url) {
      const client = createClient({ url });
      await client.connect();
      return { store: createRedisDedupeStore(client), close: () => client.destroy() };
    },
    async ioredis(url) {
      const client = new Redis(url, { lazyConnect: true });
      await client.connect();
      return { store: createRedisDedupeStore(client), close: () => client.disconnect() };
    },
  };

describe.runIf('program' in redis)(`a receiver whose Redis fails${redisSuffix}`, () => {
  let server: RedisServer;

  beforeAll(async () => {
    if ('program' in redis) server = await startRedis();
  });

  afterAll(() => server?.stop());

  describe.each(Object.entries(clients))('by %s', (_, connect) => {
    let connection: Awaited<ReturnType<typeof connect>>;
    beforeAll(async () => {
      connection = await connect(server.url);
    });
    afterAll(() => connection?.close());

    outlivesOutages(() => ({ store: connection.store, server }));
  });
});

describe.skipIf(missingPostgres)('a receiver whose PostgreSQL fails', () => {
  const postgres = useOwnPostgres();

  beforeAll(() => createPostgresDedupeStore(postgres().server.pool).migrate());

  outlivesOutages(() => {
    const { server } = postgres();
    return { store: createPostgresDedupeStore(server.pool), server };
  });
});
