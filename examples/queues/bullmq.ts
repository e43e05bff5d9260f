/** BullMQ, over Redis. */
import { createServer } from 'node:http';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import {
  createDedupeStore,
  createRedisKeyValueStore,
  createWebhookReceiver,
  toNodeHandler,
  type WebhookJob,
} from 'messaging-automation/webhooks';

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
// Without the offline queue, a delivery gets 503 at once while Redis is down, and not at the deadline.
const queue = new Queue<WebhookJob>('deliveries', { connection: { url, enableOfflineQueue: false } });
queue.on('error', (error) => console.error(error));
const redis = new Redis(url);

/** A failed opt-out is tried for six days, because a lost one lets messages go out. All else is tried for fifteen seconds. */
const attemptsOf = ({ body }: WebhookJob) => (JSON.parse(body).event === 'contact.opted_out' ? 20 : 5);

const receiver = createWebhookReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  dedupe: createDedupeStore(createRedisKeyValueStore(redis)),
  enqueue: (job) =>
    queue.add('delivery', job, {
      jobId: job.key,
      attempts: attemptsOf(job),
      backoff: { type: 'exponential', delay: 1_000 },
      removeOnComplete: { age: 3_600 }, // seconds
    }),
}).on('message.received', async (event) => {
  console.log(event.data.body);
});

/** The web process: `await serve(3000)`. */
export async function serve(port: number) {
  await queue.waitUntilReady();
  return createServer(toNodeHandler(receiver)).listen(port);
}

/** The worker's process: `work()`. On SIGTERM, call `close()` of what this returns: it waits for the handlers that run. */
export function work() {
  const worker = new Worker<WebhookJob>('deliveries', (job) => receiver.process(job.data), {
    connection: { url },
    maxStalledCount: 10, // how often a worker may die with a job
  });
  // An alert, in production: `job.retry('failed')` runs the job again.
  worker.on(
    'failed',
    (job, error) => job?.finishedOn && console.error(`The job ${job.id} failed for good.`, error),
  );
  return worker.on('error', (error) => console.error(error));
}

export async function close() {
  await queue.close();
  redis.disconnect();
}
