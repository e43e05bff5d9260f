import { type InboundMessage, inboundMessageSchema } from '../service/inbound-message.js';
import type { InboundMessageResult } from '../service/inbound-messages.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';

/**
 * What contacts do, done by a test.
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
   * Has a contact send the workspace a message, which emits `message.received`; the keywords START and STOP
   * also change the contact's consent and emit `contact.opted_in` or `contact.opted_out`. A sender who is no
   * contact yet becomes one.
   *
   * @throws TypeError that names what is wrong with the message, such as a phone that is not E.164.
   */
  inboundMessage(message: InboundMessage): Promise<InboundMessageResult>;
}

/** What the contacts of a workspace do. */
export function simulationOf({ opened, services }: LiveWorkspace): Simulation {
  return {
    async inboundMessage(message) {
      const checkedMessage = checked(inboundMessageSchema, 'The inbound message', message);
      await opened();
      return services.inboundMessages.receive(checkedMessage);
    },
  };
}
