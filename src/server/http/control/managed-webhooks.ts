import { jsonAnswer } from '../../answers/answer.js';
import { managedWebhookSchema } from '../../service/managed-webhook-seed.js';
import type { Application } from '../application.js';
import { readJson } from '../validation.js';

/** The subscriptions that the service manages itself, with their secrets: who receives for them is the test. */
export function serveManagedWebhooks(application: Application): void {
  application.handle('GET', '/control/managed-webhooks', async (_, { services }) =>
    jsonAnswer(200, { data: await services.subscriptions.listManaged() }),
  );
  application.handle('POST', '/control/managed-webhooks', async ({ request }, { services }) => {
    const webhook = await readJson(request, managedWebhookSchema, application.bodyLimit);
    return jsonAnswer(201, await services.subscriptions.manage(webhook));
  });
}
