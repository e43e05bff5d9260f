/** pg-boss, over PostgreSQL. Once, before the first delivery: `await boss.createQueue('deliveries')`. */
import { createWebhookReceiver } from 'messaging-automation/webhooks';

/** What this needs of `new PgBoss(url)`, once it is started. */
interface Boss {
  send(
    queue: string,
    job: object,
    options: { retryLimit: number; retryDelay: number; retryBackoff: boolean },
  ): Promise<string | null>;
  work(queue: string, handler: (jobs: { data: unknown }[]) => Promise<void>): Promise<string>;
}

export const receiverOver = (boss: Boss) =>
  createWebhookReceiver({
    secret: process.env.WEBHOOK_SECRET ?? '',
    async enqueue(job) {
      // Without an id of its own, a job that comes again is stored again, and `process` handles its delivery once.
      const id = await boss.send('deliveries', job, { retryLimit: 15, retryDelay: 10, retryBackoff: true });
      if (id === null) throw new Error('pg-boss has no queue "deliveries".');
    },
  });

/** The worker's process. */
export const work = (boss: Boss, receiver: ReturnType<typeof receiverOver>) =>
  boss.work('deliveries', async (jobs) => {
    for (const { data } of jobs) await receiver.process(data);
  });
