import type { ReferenceServer } from 'messaging-automation/server';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { withResolvers } from '../../../waiting.js';
import { startListener } from '../../support/listener.js';

/**
 * A receiver of this package's own on a socket, subscribed to every event.
 *
 * @param isSlow - Whether the handler is done only after another request has come.
 */
export async function subscribeHandler(server: ReferenceServer, isSlow = false) {
  const handled: string[] = [];
  const responded: number[] = [];
  const drifts: string[] = [];
  let secret = '';
  const anotherRequest = withResolvers();
  let requests = 0;
  const handle = toNodeHandler(
    createWebhookReceiver({
      secret: () => secret,
      onError: () => {},
      onDrift: ({ problems }) => void drifts.push(...problems.map(({ field }) => field)),
    }).on('message.received', async ({ data }) => {
      if (isSlow) await anotherRequest.promise;
      handled.push(data.body);
    }),
  );
  const url = await startListener(async (request, response) => {
    requests += 1;
    if (requests > 1) anotherRequest.resolve();
    await handle(request, response);
    responded.push(response.statusCode);
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
