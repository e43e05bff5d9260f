import { inboundMessageSchema } from '../service/inbound-message.js';
import type { InboundMessages } from '../service/inbound-messages.js';
import { jsonAnswer } from './answers.js';
import type { Application } from './application.js';
import { readBody } from './validation.js';

/**
 * What a test can do to the service over HTTP. These paths are not part of the service, so they stand outside
 * its prefix.
 */
export function serveControl(application: Application, inboundMessages: InboundMessages): void {
  application.handle('POST', '/control/inbound-messages', async (context, workspace) => {
    const message = await readBody(context, inboundMessageSchema, application.bodyLimit);
    return jsonAnswer(202, await inboundMessages.receive(workspace, message));
  });
}
