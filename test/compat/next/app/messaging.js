import { MessagingAutomation } from 'messaging-automation';
import { createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';

/** Created where this module is loaded, as by `next build`, which has no environment. */
export const messaging = new MessagingAutomation({ retries: 1 });

export const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', async ({ data }) => {
  await messaging.events.track({ contactId: data.contactId, event: 'replied' });
});

export const receive = toFetchHandler(receiver);

/** What a read of the client says in JSON: its result, or its error. */
export async function readTemplates() {
  try {
    return Response.json(await messaging.templates.list());
  } catch (error) {
    return Response.json(
      { name: error.name, outcome: error.outcome, message: error.message },
      { status: 500 },
    );
  }
}
