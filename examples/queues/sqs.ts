/** A FIFO queue of Amazon SQS, with the worker on AWS Lambda. */
import { createWebhookReceiver } from 'messaging-automation/webhooks';

/** What this needs of `new SQS({})` of `@aws-sdk/client-sqs`. */
interface Sqs {
  sendMessage(message: {
    QueueUrl: string;
    MessageBody: string;
    MessageGroupId: string;
    MessageDeduplicationId: string;
  }): Promise<unknown>;
}

export const receiverOver = (sqs: Sqs) =>
  createWebhookReceiver({
    secret: process.env.WEBHOOK_SECRET ?? '',
    maxBodyBytes: 100_000, // a job must fit into a message of 256 kB
    enqueue: (job) =>
      sqs.sendMessage({
        QueueUrl: process.env.QUEUE_URL ?? '',
        MessageBody: JSON.stringify(job),
        MessageGroupId: job.group ?? job.key, // the jobs of a contact come one after the other
        MessageDeduplicationId: job.key,
      }),
  });

/** The function on Lambda that reads the queue, with ReportBatchItemFailures. */
export const createHandler =
  (receiver: ReturnType<typeof receiverOver>) =>
  async ({ Records }: { Records: readonly { messageId: string; body: string }[] }) => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const { messageId, body } of Records) {
      try {
        // After one that failed, the later ones wait: they may be of the same contact.
        if (batchItemFailures.length === 0) await receiver.process(JSON.parse(body));
        else batchItemFailures.push({ itemIdentifier: messageId });
      } catch (error) {
        console.error(error);
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    return { batchItemFailures };
  };
