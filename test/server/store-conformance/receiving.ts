import type { WebhookEventType } from '../../../src/contract/delivery.js';
import type { DeliveryStatus } from '../../../src/server/model/records.js';
import type { OutboxEvent, ReceivedMessage, WorkspaceStore } from '../../../src/server/store/store.js';
import { listed } from './opening.js';

let deliveries = 0;

/** An event on its way into the outbox, each delivery of which has an id of its own. */
export function outboxEvent(createdAt = 0, type: WebhookEventType = 'message.received'): OutboxEvent {
  return {
    type,
    body: new Uint8Array([0, 255, createdAt]),
    createdAt,
    newDeliveryId: () => {
      deliveries += 1;
      return `delivery_${deliveries}`;
    },
  };
}

/** A contact's message that emits these events and says nothing of consent. */
export function receive(
  workspace: WorkspaceStore,
  ...events: readonly OutboxEvent[]
): Promise<ReceivedMessage> {
  return workspace.receiveMessage({
    contact: { newId: 'sender', phone: '+12025550199', properties: {} },
    consent: undefined,
    compose: () => events,
  });
}

/** How the deliveries stand, in their order. */
export async function statusesOf(workspace: WorkspaceStore): Promise<readonly DeliveryStatus[]> {
  return (await listed(workspace.outbox)).map(({ status }) => status);
}
