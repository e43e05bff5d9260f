// A receiver on Cloudflare Workers. Run it: npx wrangler dev examples/receivers/workers.ts --var WEBHOOK_SECRET:whsec_…
import { createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';

interface Environment {
  readonly WEBHOOK_SECRET: string;
}

let handle: ReturnType<typeof toFetchHandler> | undefined;

export default {
  fetch(request: Request, environment: Environment, context: unknown): Promise<Response> {
    // Made once for each isolate, with the first request, which brings the secret. Its memory of what was handled is
    // the isolate's own; for all of them: a dedupe store in a database.
    handle ??= toFetchHandler(receiverWith(environment.WEBHOOK_SECRET));
    return handle(request, environment, context);
  },
};

function receiverWith(secret: string) {
  return createWebhookReceiver({ secret }).on('message.received', (event) =>
    console.log(`${event.data.contactId}: ${event.data.body}`),
  );
}
