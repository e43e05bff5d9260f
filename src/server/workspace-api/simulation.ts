import { type InboundMessage, inboundMessageSchema } from '../service/inbound-message.js';
import type { InboundMessageResult } from '../service/inbound-messages.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';
import { whenOpen } from './when-open.js';

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
export interface Simulation {
  /**
   * Simulates a message from a contact to the workspace. The workspace emits `message.received`. The keywords START and
   * STOP also change the contact's consent, which emits `contact.opted_in` or `contact.opted_out`. An unknown sender
   * becomes a contact.
   *
   * @throws ConfigurationError that names each invalid field of the message, such as a phone that is not E.164.
   */
  inboundMessage(message: InboundMessage): Promise<InboundMessageResult>;
}

/** Returns the simulation of a workspace. */
export function simulationOf(live: LiveWorkspace): Simulation {
  return whenOpen(live, {
    inboundMessage: (message) =>
      live.services.inboundMessages.receive(checked(inboundMessageSchema, 'The inbound message', message)),
  });
}
