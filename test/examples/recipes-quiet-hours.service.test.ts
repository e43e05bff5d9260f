import { type JobState, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { createOptOutList, createRedisKeyValueStore } from 'messaging-automation';
import { createReferenceServer, type FaultRule } from 'messaging-automation/server';
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Reminder, work } from '../../examples/recipes/quiet-hours-worker.js';
import { notRun } from '../run/debian.js';
import { shared } from '../run/shared.js';
import { missingRedis } from '../webhooks/dedupe/redis-clients.js';

const suffix = missingRedis === undefined ? '' : notRun('the recipe for quiet hours', missingRedis);
const phone = '+15551234567';
const night = Date.parse('2030-01-15T22:00:00.000Z');
const morning = Date.parse('2030-01-16T07:00:00.000Z');

describe.skipIf(missingRedis)(`a worker with quiet hours${suffix}`, () => {
  let url: string;

  beforeAll(async () => {
    const redis = await shared('redis');
    if ('url' in redis) url = `${redis.url}/8`;
  });
  afterEach(() => vi.unstubAllEnvs());

  /** A contact in Berlin, and a worker with one job. */
  async function start(now: () => number, fault?: FaultRule, hasOptedOut = false) {
    const server = createReferenceServer({
      contacts: [{ phone, properties: { timeZone: 'Europe/Berlin' } }],
      templates: [{ id: 'order_update', body: 'Hello {{1}}: {{2}}' }],
    });
    if (fault) await server.faults.add(fault);
    const { baseUrl } = await server.listen({ port: 0 });
    vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', server.apiKey);
    vi.stubEnv('MESSAGING_AUTOMATION_BASE_URL', baseUrl);
    const redis = new Redis(url);
    const queue = new Queue<Reminder>('reminders', { connection: { url } });
    const store = createRedisKeyValueStore(redis);
    const optOuts = createOptOutList({ store });
    await (hasOptedOut ? optOuts.add(phone) : optOuts.remove(phone));
    const worker = work(url, now);
    onTestFinished(async () => {
      await worker.close();
      await queue.obliterate({ force: true });
      await queue.close();
      redis.disconnect();
      await server.close();
    });
    const id = crypto.randomUUID();
    const job = await queue.add('reminder', { id, phone }, { attempts: 3 });
    const messaging = server.client.withOptions({
      baseUrl,
      idempotencyStore: store,
    });
    /** When the job is put off to, in milliseconds since the Unix epoch: BullMQ keeps it in the score, before twelve bits of its own. */
    const putOffTo = async () =>
      Math.floor(Number(await redis.zscore('bull:reminders:delayed', String(job.id))) / 0x1000);
    const becomes = (state: JobState) =>
      vi.waitFor(async () => expect(await job.getState()).toBe(state), { timeout: 10_000 });
    return { server, queue, messaging, job, key: `reminder-${id}`, putOffTo, becomes };
  }

  test('puts a message at night off until the morning of the contact, and then sends it once', async () => {
    let now = night;
    const { server, job, putOffTo, becomes } = await start(() => now);
    await becomes('delayed');
    expect(await putOffTo()).toBe(morning);
    expect(await server.journal.sends()).toEqual([]);

    now = morning;
    await job.promote();
    await becomes('completed');
    expect(await server.journal.sends()).toHaveLength(1);
  });

  test('gives a message up to a contact who opted out, at night, too', async () => {
    const { server, queue, job, becomes } = await start(() => night, undefined, true);
    await becomes('failed');
    expect(await queue.getJob(String(job.id))).toMatchObject({
      attemptsMade: 1,
      failedReason: expect.stringContaining('opted out'),
    });
    expect(await server.journal.sends()).toEqual([]);
  });

  test('gives a message up whose outcome is unknown, until a person settles it and retries the job', async () => {
    const { server, queue, messaging, job, key, becomes } = await start(() => morning, {
      operation: 'transactional.send',
      nth: 1,
      fault: { kind: 'reset', when: 'before_commit' },
    });
    await becomes('failed');
    expect((await queue.getJob(String(job.id)))?.attemptsMade).toBe(1);
    expect(await messaging.transactional.unsettled()).toMatchObject([{ idempotencyKey: key }]);
    await messaging.transactional.settle(key, 'not_sent');
    await job.retry('failed');
    await becomes('completed');
    expect(await server.journal.sends()).toHaveLength(1);
  });
});
