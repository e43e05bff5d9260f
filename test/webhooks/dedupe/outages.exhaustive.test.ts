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
      const { send, sendAll, handled } = receiverOn(store);

      const underLoad = sendAll(0, 100);
      await Promise.race(underLoad.answers);
      const began = begin(server);
      const whileDown = sendAll(100, 200);
      await began;
      for (const { id, status } of [...(await underLoad.answered()), ...(await whileDown.answered())]) {
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
      for (const { status } of await Promise.all(sendAll(0, 200).answers)) expect(status).toBe(204);
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
    /** Sends deliveries at once. `answered` lets time pass, deadlines too, until each has its answer. */
    sendAll(from: number, to: number) {
      let open = to - from;
      const answers = Array.from({ length: to - from }, async (_, index) => {
        const answer = { id: from + index, status: await send(from + index) };
        open -= 1;
        return answer;
      });
      const answered = async () => {
        await expect
          .poll(
            () => {
              clock.pass(1_000);
              return open;
            },
            { timeout: 20_000, interval: 20 },
          )
          .toBe(0);
        return Promise.all(answers);
      };
      return { answers, answered };
    },
  };
}

const redis = await findRedis();
const redisSuffix = 'missing' in redis ? notRun('the receiver with a Redis that fails', redis.missing) : '';

describe.runIf('program' in redis)(`a receiver whose Redis fails${redisSuffix}`, () => {
  let server: RedisServer;

  beforeAll(async () => {
    if ('missing' in redis) return;
    server = await startRedis();
  });

  afterAll(async () => {
    await server?.stop();
  });

  describe('by node-redis', () => {
    let client: ReturnType<typeof createClient>;
    beforeAll(async () => {
      client = createClient({ url: server.url });
      await client.connect();
    });
    afterAll(() => client?.destroy());

    outlivesOutages(() => ({ store: createRedisDedupeStore(client), server }));
  });

  describe('by ioredis', () => {
    let client: Redis;
    beforeAll(async () => {
      client = new Redis(server.url, { lazyConnect: true });
      await client.connect();
    });
    afterAll(() => client?.disconnect());

    outlivesOutages(() => ({ store: createRedisDedupeStore(client), server }));
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
