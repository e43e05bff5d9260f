import { once } from 'node:events';
import type { Server } from 'node:http';
import { Queue } from 'bullmq';
import { signatureHeader, signWebhook, type WebhookJob } from 'messaging-automation/webhooks';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { serveRequests } from '../cli/http-servers.js';
import { missingPostgres, usePostgres } from '../postgres/support/database.js';
import { startRedis } from '../run/redis-server.js';
import { shared } from '../run/shared.js';
import { within, withResolvers } from '../waiting.js';
import { missingRedis } from '../webhooks/dedupe/redis-clients.js';
import { messageDelivery } from '../webhooks/delivery-body.js';

/** What the recipes over a real queue export. */
interface Recipe {
  serve(port: number): Server | Promise<Server>;
  work(): unknown;
  close(): Promise<void>;
}

const secret = 'whsec_example';

/** The recipe for BullMQ as in a process of its own, which reads the environment. */
async function loadBullmq(): Promise<Recipe> {
  vi.resetModules();
  return import('../../examples/queues/bullmq.js');
}

const handled = vi.fn<(text: unknown) => void>();

beforeEach(() => {
  vi.stubEnv('WEBHOOK_SECRET', secret);
  vi.spyOn(console, 'log').mockImplementation((text) => handled(text));
  vi.spyOn(console, 'info').mockReturnValue();
  vi.spyOn(console, 'error').mockReturnValue();
});
afterEach(() => {
  handled.mockReset();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A delivery with the texts that a queue's own storage may stumble over. */
const delivery = (messageId: string) =>
  JSON.stringify({
    ...messageDelivery,
    timestamp: new Date().toISOString(),
    data: { ...messageDelivery.data, messageId, body: 'NUL \u0000 and half \ud83d of 👋🏽' },
  });

const headersOf = (body: string) => ({ [signatureHeader]: signWebhook(body, secret) });

const post = async (url: string, body: string) =>
  (await fetch(url, { method: 'POST', body, headers: headersOf(body) })).status;

async function listening(server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** Runs a recipe's web process and its worker. The handler fails once, and each delivery comes three times. */
async function expectEachHandledOnce({ serve, work }: Recipe): Promise<() => Promise<unknown>> {
  const texts: unknown[] = [];
  const second = withResolvers();
  handled.mockImplementationOnce(() => {
    throw new Error('The first run fails.');
  });
  handled.mockImplementation((text) => {
    texts.push(text);
    if (texts.length === 2) second.resolve();
  });
  const server = await serve(0);
  const url = await listening(server);
  const one = delivery('message_1');
  for (const body of [one, one, delivery('message_2'), one]) expect(await post(url, body)).toBe(204);
  expect(texts).toEqual([]);
  const worker = await work();
  await within('both messages', second.promise, () => JSON.stringify(texts));
  expect(texts).toEqual([JSON.parse(one).data.body, JSON.parse(one).data.body]);
  expect(handled).toHaveBeenCalledTimes(3);
  return async () => {
    server.close();
    return worker;
  };
}

/** Ends a worker by its own method. */
async function ended(worker: unknown, method: 'close' | 'stop'): Promise<void> {
  const end: unknown = Reflect.get(Object(worker), method);
  if (typeof end !== 'function') expect.unreachable(`The worker has no ${method}().`);
  await end.call(worker);
}

describe.skipIf(missingRedis)('the recipe for BullMQ', () => {
  let url: string;

  beforeAll(async () => {
    const redis = await shared('redis');
    if ('url' in redis) url = `${redis.url}/7`;
  });

  test('handles each delivery once, and again when its handler fails', { timeout: 60_000 }, async () => {
    vi.stubEnv('REDIS_URL', url);
    const recipe = await loadBullmq();
    const end = await expectEachHandledOnce(recipe);
    const worker = await end();
    if (worker instanceof Object && 'close' in worker && typeof worker.close === 'function')
      await worker.close();
    const queue = new Queue<WebhookJob>('deliveries', { connection: { url } });
    expect(await queue.getJobCounts('completed', 'failed', 'waiting', 'delayed')).toEqual({
      completed: 2,
      failed: 0,
      waiting: 0,
      delayed: 0,
    });
    await queue.obliterate();
    await queue.close();
    await recipe.close();
  });

  test('tries an opt-out for days, and a message for seconds', async () => {
    vi.stubEnv('REDIS_URL', url);
    const recipe = await loadBullmq();
    const server = await recipe.serve(0);
    const address = await listening(server);
    const message = delivery('message_1');
    const optOut = JSON.stringify({
      ...JSON.parse(message),
      event: 'contact.opted_out',
      data: { phone: '+15551234567' },
    });
    for (const body of [message, optOut]) expect(await post(address, body)).toBe(204);
    const queue = new Queue<WebhookJob>('deliveries', { connection: { url } });
    const attempts = (await queue.getJobs()).map(({ data, opts }) => [
      JSON.parse(data.body).event,
      opts.attempts,
    ]);
    expect(Object.fromEntries(attempts)).toEqual({ 'message.received': 5, 'contact.opted_out': 20 });
    await queue.obliterate({ force: true });
    await queue.close();
    server.close();
    await recipe.close();
  });

  test('responds with 503 while Redis is away, and loses no job that it has', {
    timeout: 60_000,
  }, async () => {
    const redis = await startRedis(true);
    onTestFinished(() => redis.stop());
    vi.stubEnv('REDIS_URL', redis.url);
    const recipe = await loadBullmq();
    const server = await recipe.serve(0);
    const url = await listening(server);
    expect(await post(url, delivery('message_1'))).toBe(204);
    await redis.end('SIGKILL');
    const second = delivery('message_2');
    expect(await post(url, second)).toBe(503);
    await redis.start();
    // The service sends it again.
    await vi.waitFor(async () => expect(await post(url, second)).toBe(204), { timeout: 30_000 });
    const both = withResolvers();
    handled.mockImplementation(() => void (handled.mock.calls.length === 2 && both.resolve()));
    const worker = await recipe.work();
    await within('both messages', both.promise, () => `${handled.mock.calls.length} of them`);
    server.close();
    await ended(worker, 'close');
    await recipe.close();
  });
});

describe.skipIf(missingPostgres)('a recipe over PostgreSQL', () => {
  const postgres = usePostgres();

  test('with graphile-worker handles each delivery once, and again when its handler fails', {
    timeout: 60_000,
  }, async () => {
    vi.stubEnv('DATABASE_URL', postgres().connectionString);
    const warned = vi.spyOn(console, 'warn');
    const recipe = await import('../../examples/queues/graphile-worker.js');
    expect(warned).not.toHaveBeenCalled();
    const end = await expectEachHandledOnce(recipe);
    const runner = await end();
    if (runner instanceof Object && 'stop' in runner && typeof runner.stop === 'function')
      await runner.stop();
    const { rows } = await postgres().server.pool.query('select key from graphile_worker.jobs');
    expect(rows).toEqual([]);
    await recipe.close();
  });

  test('with a transaction writes its row and its job together, and neither twice', async () => {
    const { pool } = postgres().server;
    await pool.query(
      'create table deliveries (key text primary key, received_at timestamptz not null, body text not null)',
    );
    vi.stubEnv('DATABASE_URL', postgres().connectionString);
    const { handler } = await import('../../examples/queues/transaction.js');
    const url = await serveRequests(handler);
    const one = delivery('message_1');
    for (const body of [one, one, delivery('message_2')]) expect(await post(url, body)).toBe(204);
    const { rows } = await pool.query('select key from deliveries order by key');
    const { rows: jobs } = await pool.query('select key from graphile_worker.jobs order by key');
    expect(rows).toHaveLength(2);
    expect(jobs).toEqual(rows);
    // Without the function that adds a job, the row is not kept either.
    await pool.query('drop schema graphile_worker cascade');
    expect(await post(url, delivery('message_3'))).toBe(503);
    expect((await pool.query('select key from deliveries')).rows).toHaveLength(2);
  });
});

test('the recipe for pg-boss stores each job, and fails where there is no queue', async () => {
  const { receiverOver, work } = await import('../../examples/queues/pg-boss.js');
  const stored: { data: unknown }[] = [];
  let hasQueue = false;
  let handle: ((jobs: { data: unknown }[]) => Promise<void>) | undefined;
  const boss = {
    async send(_queue: string, data: object) {
      if (!hasQueue) return null;
      stored.push({ data: JSON.parse(JSON.stringify(data)) });
      return String(stored.length);
    },
    async work(_queue: string, handler: (jobs: { data: unknown }[]) => Promise<void>) {
      handle = handler;
      return 'a worker';
    },
  };
  const receiver = receiverOver(boss).on('message.received', handled);
  const body = delivery('message_1');
  const received = { method: 'POST', headers: headersOf(body), readBody: () => Buffer.from(body) };
  expect(await receiver.receive({ ...received, request: undefined })).toMatchObject({ status: 503 });
  hasQueue = true;
  for (const _ of [1, 2])
    expect(await receiver.receive({ ...received, request: undefined })).toMatchObject({ status: 204 });
  await work(boss, receiver);
  handled.mockImplementationOnce(() => {
    throw new Error('The first run fails.');
  });
  await expect(handle?.(stored)).rejects.toThrow('The first run fails.');
  await handle?.(stored);
  expect(handled).toHaveBeenCalledTimes(2);
});

test('the recipe for SQS gives back the jobs that failed', async () => {
  const sent: { MessageBody: string; MessageGroupId: string; MessageDeduplicationId: string }[] = [];
  const { receiverOver, createHandler } = await import('../../examples/queues/sqs.js');
  const receiver = receiverOver({
    sendMessage: async (message) => sent.push(message),
  });
  receiver.on('message.received', handled);
  for (const messageId of ['message_1', 'message_2']) {
    const body = delivery(messageId);
    const request = {
      method: 'POST',
      headers: headersOf(body),
      readBody: () => Buffer.from(body),
      request: undefined,
    };
    expect(await receiver.receive(request)).toMatchObject({ status: 204 });
  }
  const Records = sent.map(({ MessageBody }, index) => ({ messageId: `sqs ${index}`, body: MessageBody }));
  handled.mockImplementationOnce(() => {
    throw new Error('The first one fails.');
  });
  const handle = createHandler(receiver);
  expect(await handle({ Records })).toEqual({
    batchItemFailures: [{ itemIdentifier: 'sqs 0' }, { itemIdentifier: 'sqs 1' }],
  });
  expect(handled).toHaveBeenCalledTimes(1);
  const [one, two] = sent;
  expect(one?.MessageGroupId).toBe(two?.MessageGroupId);
  expect(one?.MessageDeduplicationId).not.toBe(two?.MessageDeduplicationId);
  expect(await handle({ Records: [...Records, { messageId: 'other', body: '{}' }] })).toEqual({
    batchItemFailures: [{ itemIdentifier: 'other' }],
  });
  expect(handled).toHaveBeenCalledTimes(3);
});

test('the recipe for Cloudflare Queues acknowledges what was handled, and retries the rest', async () => {
  const sent: WebhookJob[] = [];
  const { default: worker } = await import('../../examples/queues/cloudflare.js');
  const environment = {
    WEBHOOK_SECRET: secret,
    DELIVERIES: { send: async (job: WebhookJob) => sent.push(job) },
  };
  for (const messageId of ['message_1', 'message_2']) {
    const body = delivery(messageId);
    const request = new Request('https://example.com/', { method: 'POST', body, headers: headersOf(body) });
    expect((await worker.fetch(request, environment, { waitUntil: () => {} })).status).toBe(204);
  }
  const calls: unknown[] = [];
  const messages = sent.map((body, index) => ({
    body,
    ack: () => calls.push(['ack', index]),
    retry: (options: object) => calls.push(['retry', index, options]),
  }));
  handled.mockImplementationOnce(() => {
    throw new Error('The first one fails.');
  });
  await worker.queue({ messages }, environment);
  expect(calls).toEqual([
    ['retry', 0, { delaySeconds: 60 }],
    ['ack', 1],
  ]);
});
