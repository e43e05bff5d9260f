import type { ReferenceServer } from 'messaging-automation/server';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { withResolvers } from '../../../waiting.js';
import { startListener } from '../../support/listener.js';

/**
 * A receiver of this package's own on a socket, subscribed to every event.
 *
 * @param isSlow - Whether the handler is done only after the response to another request.
 */
export async function subscribeHandler(server: ReferenceServer, isSlow = false) {
  const handled: string[] = [];
  const responded: number[] = [];
  const drifts: string[] = [];
  let secret = '';
  const anotherResponse = withResolvers();
  const handle = toNodeHandler(
    createWebhookReceiver({
      secret: () => secret,
      onError: () => {},
      onDrift: ({ problems }) => void drifts.push(...problems.map(({ field }) => field)),
    }).on('message.received', async ({ data }) => {
      if (isSlow) await anotherResponse.promise;
      handled.push(data.body);
    }),
  );
  const url = await startListener(async (request, response) => {
    await handle(request, response);
    responded.push(response.statusCode);
    anotherResponse.resolve();
  });
  const subscription = await server.client.webhooks.create({
    url,
    events: ['message.received', 'contact.opted_in', 'contact.opted_out'],
  });
  secret = subscription.secret;
  return {
    /** The texts of the messages that were handled, in order. */
    handled,
    /** The status of each response, in order. */
    responded: responded,
    /** The fields that differed from what was agreed. */
    drifts,
  };
}
