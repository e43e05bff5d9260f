/** Puts a message that comes at night off until the contact's morning. BullMQ, over Redis. */
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import {
  createOptOutList,
  createRedisKeyValueStore,
  MessagingAutomation,
  RequestError,
  SendBlockedError,
} from 'messaging-automation';
import { atNight, quietHours, zoneFromProperty } from './quiet-hours.js';

export interface Reminder {
  readonly id: string;
  readonly phone: string;
}

/** @param now Returns the time. Default: the machine's. */
export function work(url: string, now = Date.now) {
  // With one try, a send fails at once while Redis is down, as `store_failed`, and not at its deadline.
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  const store = createRedisKeyValueStore(redis);
  const reader = new MessagingAutomation({ idempotencyStore: store });
  const quiet = quietHours(zoneFromProperty(reader), now);
  const messaging = reader.withOptions({ guards: [createOptOutList({ store }), quiet] });

  async function remind(job: Job<Reminder>, token?: string) {
    const { id, phone } = job.data;
    const message = { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': id } };
    try {
      await messaging.transactional.send(message, { idempotencyKey: `reminder-${id}` });
    } catch (error) {
      if (error instanceof SendBlockedError && error.reason === atNight) {
        await job.moveToDelayed(await quiet.endOfNight(phone), token);
        throw new DelayedError();
      }
      if (!(error instanceof RequestError) || error.retryable) throw error;
      // No run of the job helps, such as until a person settles the key. Then: await job.retry('failed')
      throw new UnrecoverableError(error.message);
    }
  }

  const worker = new Worker<Reminder>('reminders', remind, { connection: { url }, maxStalledCount: 10 });
  worker.on('closed', () => redis.disconnect());
  return worker.on('error', (error) => console.error(error));
}
