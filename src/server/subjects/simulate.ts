import * as z from 'zod/mini';
import {
  type InboundMessage,
  type InboundMessageResult,
  inboundMessageSchema,
} from '../service/inbound-messages.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';

/**
 * Simulates what contacts do.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const { consent } = await server.simulate.inboundMessage({ phone: '+15551234567', body: 'STOP' });
 * console.log(consent); // opted_out
 * ```
 */
export type Simulation = {
  /**
   * Simulates a message from a contact to the workspace. The workspace emits `message.received`. The keywords START and
   * STOP also change the contact's consent, which emits `contact.opted_in` or `contact.opted_out`. An unknown sender
   * becomes a contact.
   *
   * @throws ConfigurationError that names each invalid field of the message, such as a phone that is not E.164.
   */
  inboundMessage(message: InboundMessage): Promise<InboundMessageResult>;
};

/** Returns the simulation of a workspace. */
export function simulationOf(live: LiveWorkspace): Simulation {
  const { inboundMessages } = live.services;
  return {
    async inboundMessage(given) {
      const message = checked(inboundMessageSchema, 'The inbound message', given);
      return run(live, () => inboundMessages.receive(message));
    },
  };
}

export const simulateOperations = ({ text }: typeof Shapes) => ({
  inboundMessage: operation('simulate.inboundMessage', 'POST', '/control/inbound-messages', {
    summary:
      'Simulates a message from a contact. Subscriptions get a signed delivery. START and STOP change consent.',
    body: inboundMessageSchema,
    status: 202,
    result: z.strictObject({
      contactId: text,
      conversationId: text,
      messageId: text,
      consent: z.exactOptional(z.enum(['opted_in', 'opted_out'])),
    }),
    rule: (live, { body }) => simulationOf(live).inboundMessage(body),
  }),
});
