import { jsonAnswer } from '../../answers/answer.js';
import { inboundMessageSchema } from '../../service/inbound-message.js';
import type { Application } from '../application.js';
import { readJson } from '../validation.js';

/** A contact writes to the workspace. */
export function serveInboundMessages(application: Application): void {
  application.handle('POST', '/control/inbound-messages', async ({ request }, { services }) => {
    const message = await readJson(request, inboundMessageSchema, application.bodyLimit);
    return jsonAnswer(202, await services.inboundMessages.receive(message));
  });
}
