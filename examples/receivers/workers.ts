// A receiver on Cloudflare Workers. Run it: npx wrangler dev examples/receivers/workers.ts --var WEBHOOK_SECRET:whsec_…
import { createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';

interface Environment {
  readonly WEBHOOK_SECRET: string;
}

let handle: ReturnType<typeof toFetchHandler> | undefined;

export default {
  fetch(request: Request, environment: Environment, context: unknown): Promise<Response> {
    // Created once for each isolate, at the first request, because the environment has the secret. Each isolate remembers
    // only its own deliveries. To share them, pass a dedupe store in a database.
    handle ??= toFetchHandler(receiverWith(environment.WEBHOOK_SECRET));
    return handle(request, environment, context);
  },
};

function receiverWith(secret: string) {
  return createWebhookReceiver({ secret }).on('message.received', (event) =>
    console.log(`${event.data.contactId}: ${event.data.body}`),
  );
}
