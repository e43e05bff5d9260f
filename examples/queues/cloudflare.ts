/** Cloudflare Queues. Each isolate remembers only its own deliveries: pass a dedupe store that they share. */
import { createWebhookReceiver, toFetchHandler, type WebhookJob } from 'messaging-automation/webhooks';

interface Environment {
  readonly WEBHOOK_SECRET: string;
  readonly DELIVERIES: { send(job: WebhookJob): Promise<unknown> };
}

interface Batch {
  readonly messages: readonly {
    readonly body: unknown;
    ack(): void;
    retry(options: { delaySeconds: number }): void;
  }[];
}

const receiverOf = ({ WEBHOOK_SECRET, DELIVERIES }: Environment) =>
  createWebhookReceiver({
    secret: WEBHOOK_SECRET,
    maxBodyBytes: 50_000, // a job must fit into a message of 128 kB
    enqueue: (job) => DELIVERIES.send(job),
  }).on('message.received', async (event) => {
    console.log(event.data.body);
  });

let receiver: ReturnType<typeof receiverOf> | undefined;

export default {
  fetch(request: Request, environment: Environment, context: unknown) {
    receiver ??= receiverOf(environment);
    return toFetchHandler(receiver)(request, environment, context);
  },
  async queue({ messages }: Batch, environment: Environment) {
    receiver ??= receiverOf(environment);
    for (const message of messages) {
      try {
        await receiver.process(message.body);
        message.ack();
      } catch (error) {
        console.error(error);
        message.retry({ delaySeconds: 60 });
      }
    }
  },
};
