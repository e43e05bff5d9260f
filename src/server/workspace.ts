import { validate } from '../contract/schema.js';
import { type InboundMessage, inboundMessageSchema } from './service/inbound-message.js';
import type { InboundMessageResult, InboundMessages } from './service/inbound-messages.js';
import type { Consent, DeliveryRecord, EventRecord, SendRecord } from './store/records.js';
import type { WorkspaceStore } from './store/store.js';

/**
 * What has happened in a workspace so far.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }] });
 * const { baseUrl } = await server.listen({ port: 0 });
 * const messaging = new MessagingAutomation({ apiKey: server.apiKey, baseUrl });
 * await messaging.contacts.upsert({ phone: '+15551234567' });
 * await messaging.transactional.send({ phone: '+15551234567', templateId: 'welcome', variables: { '1': 'Ada' } });
 * const [send] = await server.journal.sends();
 * console.log(send?.text); // Welcome, Ada!
 * ```
 */
export interface Journal {
  /** The messages that were sent, oldest first. */
  sends(): Promise<readonly SendRecord[]>;
  /** The events that were tracked for the contacts there are, oldest first. */
  events(): Promise<readonly EventRecord[]>;
  /** The webhook deliveries with all their attempts, oldest first. */
  deliveries(): Promise<readonly DeliveryRecord[]>;
  /** The ids of the contacts in a segment. */
  segmentMembers(segmentId: string): Promise<readonly string[]>;
  /** A contact's consent; undefined where no contact has the phone. */
  consent(phone: string): Promise<Consent | undefined>;
  /** The conversations that are left to spend. */
  quota(): Promise<{ readonly quota: number; readonly addOnCredits: number }>;
}

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

/**
 * One workspace of a reference server, as a test holds it.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ReferenceWorkspace } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const other: ReferenceWorkspace = server.workspace({ quota: 5 });
 * console.log(other.apiKey !== server.apiKey); // true
 * ```
 */
export interface ReferenceWorkspace {
  readonly id: string;
  /** The key that opens it. */
  readonly apiKey: string;
  readonly simulate: Simulation;
  readonly journal: Journal;
}

/** Opens a workspace to a test. The store may still be making it. */
export function openWorkspace(
  id: string,
  apiKey: string,
  store: Promise<WorkspaceStore>,
  inboundMessages: InboundMessages,
): ReferenceWorkspace {
  return {
    id,
    apiKey,
    simulate: {
      async inboundMessage(message) {
        const validation = validate(inboundMessageSchema, message);
        if (validation.valid) return inboundMessages.receive(await store, validation.value);
        const problems = validation.problems.map((problem) => `${problem.field || 'it'} ${problem.message}`);
        throw new TypeError(`The inbound message is not right: ${problems.join('; ')}.`);
      },
    },
    journal: {
      sends: async () => (await store).listSends(),
      events: async () => (await store).listEvents(),
      deliveries: async () => (await store).listDeliveries(),
      segmentMembers: async (segmentId) => (await store).listSegmentMembers(segmentId),
      consent: async (phone) => (await (await store).findContactByPhone(phone))?.consent,
      quota: async () => (await store).readQuota(),
    },
  };
}
