import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import { bodyOf, hint, optionalText } from '../fields.js';
import { tool } from '../tool.js';

const { inboundMessage } = controlOperations.simulate;

export const sendAsContact = tool({
  name: 'send_as_contact',
  title: 'Write as a contact',
  description:
    'Sends a message FROM a contact TO the workspace, as if the person wrote in the chat. Subscribed webhooks get ' +
    'message.received. The body START or STOP changes the consent of the contact. Not for sending a message to a contact: ' +
    'the application under test does that through the API (POST /v1/transactional).',
  effects: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: bodyOf(inboundMessage),
  output: z.object({
    contactId: z.string(),
    conversationId: z.string(),
    messageId: z.string(),
    consent: optionalText('The consent of the contact, if the message changed it.'),
    hint,
  }),
  run: async (message, call) => ({
    ...(await call.ask(inboundMessage, { body: message })),
    hint: 'Webhooks are delivered in the background. Use wait_for with what=delivery, or list_deliveries.',
  }),
});
