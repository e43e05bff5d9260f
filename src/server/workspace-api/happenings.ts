import type { WebhookEventType } from '../../contract/delivery.js';
import { maskPhone } from '../../contract/phone.js';
import { eventDataIn } from '../inspection/code.js';
import { type Delivery, type EventEntry, readable } from '../model/journal-entry.js';
import type { DeliveryStatus, EventRecord, SendRecord } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import type { DeliveryCheck, DeliveryExplanation, ReceiversSide } from './explanation/explanation.js';
import { contactField, currentMatches, type WaitOptions, type Wanted, waitFor, wantedBy } from './wait.js';

/** Selects sends. A send must match every field that is set. */
export interface SendFilter {
  /** The contact's id or phone. */
  readonly contact?: string | undefined;
  readonly templateId?: string | undefined;
  /** The whole sent text, or a pattern to find in it. */
  readonly text?: string | RegExp | undefined;
  /** The journey run that sent it. */
  readonly journeyRunId?: string | undefined;
}

/**
 * Finds the template messages that a workspace sent, and waits for them.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ templates: [{ id: 'hello', body: 'Hello {{1}}' }] });
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * await server.client.transactional.send({ phone: '+15551234567', templateId: 'hello', variables: { '1': 'Ada' } });
 * const send = await server.sends.waitFor({ contact: '+15551234567', text: /Ada/ });
 * console.log(send.text); // Hello Ada
 * ```
 */
export interface WorkspaceSends {
  /** Returns the sends in the journal that match, oldest first. */
  find(filter?: SendFilter): Promise<readonly SendRecord[]>;
  /**
   * Waits for the first send that matches, or the nth. Sends before the call count too.
   *
   * @throws WaitTimeoutError that lists the closest sends.
   */
  waitFor(filter?: SendFilter, options?: WaitOptions): Promise<SendRecord>;
}

export function sendsOf(live: LiveWorkspace): WorkspaceSends {
  return {
    find: async (filter = {}) => currentMatches(live, wantedSend(filter)),
    waitFor: async (filter = {}, options = {}) => waitFor(live, wantedSend(filter), options),
  };
}

/** Describes the sends that a filter selects. */
export function wantedSend(filter: SendFilter): Wanted<SendRecord> {
  const { contact, text } = filter;
  const fields = {
    contact: contactField<SendRecord>(contact, (send) => send),
    templateId: { name: 'template', of: (send: SendRecord) => send.templateId },
    text: {
      name: 'text',
      of: (send: SendRecord) => send.text,
      meets: (send: SendRecord) =>
        typeof text === 'object' ? send.text.search(text) !== -1 : send.text === text,
    },
    journeyRunId: { name: 'journey run', of: (send: SendRecord) => send.journeyRunId },
  };
  return wantedBy('send', filter, fields, {
    select: (entry) => (entry.type === 'send' ? entry.send : undefined),
    describe: ({ templateId, phone, sentAt }) =>
      `${JSON.stringify(templateId)} to ${maskPhone(phone)} at ${new Date(sentAt).toISOString()}`,
  });
}

/** Selects tracked events. An event must match every field that is set. */
export interface EventFilter {
  readonly event?: string | undefined;
  /** The contact's id or phone. */
  readonly contact?: string | undefined;
}

/**
 * Finds the tracked events of a workspace, and waits for them.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * await server.client.events.track({ event: 'order_placed', phone: '+15551234567', properties: { total: 12 } });
 * const { properties } = await server.events.waitFor({ event: 'order_placed' });
 * console.log(properties.total); // 12
 * ```
 */
export interface WorkspaceEvents {
  /** Returns the events in the journal that match, oldest first. */
  find(filter?: EventFilter): Promise<readonly EventRecord[]>;
  /**
   * Waits for the first event that matches, or the nth. Events before the call count too.
   *
   * @throws WaitTimeoutError that lists the closest events.
   */
  waitFor(filter?: EventFilter, options?: WaitOptions): Promise<EventRecord>;
}

export function eventsOf(live: LiveWorkspace): WorkspaceEvents {
  return {
    find: async (filter = {}) => (await currentMatches(live, wantedEvent(filter))).map(({ event }) => event),
    waitFor: async (filter = {}, options = {}) => (await waitFor(live, wantedEvent(filter), options)).event,
  };
}

/** Describes the tracked events that a filter selects. */
export function wantedEvent(filter: EventFilter): Wanted<EventEntry> {
  const fields = {
    event: { name: 'event', of: ({ event }: EventEntry) => event.event },
    contact: contactField<EventEntry>(filter.contact, ({ phone, event: { contactId } }) => ({
      phone,
      contactId,
    })),
  };
  return wantedBy('tracked event', filter, fields, {
    select: (entry) => (entry.type === 'event' ? entry : undefined),
    describe: ({ event }) => `${JSON.stringify(event.event)} of ${event.contactId}`,
  });
}

/** Selects webhook deliveries. A delivery must match every field that is set. */
export interface DeliveryFilter {
  readonly event?: WebhookEventType | undefined;
  /** The id or phone of the contact in the event. */
  readonly contact?: string | undefined;
  readonly subscriptionId?: string | undefined;
  /** The status of the delivery after its last attempt: `pending` while a retry is due. */
  readonly status?: DeliveryStatus | undefined;
}

/**
 * Finds the webhook deliveries of a workspace, waits for them, repeats them, and explains why they failed.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ fetch: async () => new Response(null, { status: 204 }) });
 * await server.client.webhooks.create({ url: 'https://example.com/hooks', events: ['message.received'] });
 * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
 * const delivery = await server.deliveries.waitFor({ event: 'message.received', contact: '+15551234567' });
 * await server.deliveries.redeliver(delivery.id); // the same bytes once more
 * ```
 */
export interface WorkspaceDeliveries {
  /** Returns the attempted deliveries in the journal that match, each with its state after its last attempt. */
  find(filter?: DeliveryFilter): Promise<readonly Delivery[]>;
  /**
   * Waits for the first delivery that matches, or the nth. Deliveries before the call count too. If the filter has no
   * `status`, it waits for a delivery that the receiver acknowledged (`delivered`).
   *
   * @throws WaitTimeoutError that lists the closest deliveries, with the receiver's response to each.
   */
  waitFor(filter?: DeliveryFilter, options?: WaitOptions): Promise<Delivery>;
  /**
   * Sends the same bytes to the same subscription again, as a new delivery.
   *
   * @throws Error if the delivery or its subscription no longer exists.
   */
  redeliver(deliveryId: string): Promise<Delivery>;
  /**
   * Explains the status of a delivery: its possible causes, the most likely first, each with advice. It examines the
   * receiver's response and clock, the signature and the injected faults.
   *
   * @throws Error if the delivery does not exist.
   * @example
   * ```ts
   * import { createReferenceServer } from 'messaging-automation/server';
   *
   * await using server = createReferenceServer({ fetch: async () => new Response('no such page', { status: 404 }) });
   * await server.client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
   * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
   * const { id } = await server.deliveries.waitFor({ status: 'pending' });
   * const { causes } = await server.deliveries.explain(id);
   * console.log(causes[0]?.cause, causes[0]?.advice); // not_found, and how to fix it
   * ```
   */
  explain(deliveryId: string): Promise<DeliveryExplanation>;
  /**
   * Verifies the signature of a delivery with the receiver's own secret, body or both, and explains a mismatch. `secret`
   * is the value of the receiver's WEBHOOK_SECRET, `body` the text that the receiver hashed. At least one is required.
   *
   * @throws Error if the delivery does not exist, or its subscription was deleted and there is no `secret`.
   * @throws TypeError if the secret is empty or damaged.
   * @example
   * ```ts
   * import { createReferenceServer } from 'messaging-automation/server';
   *
   * await using server = createReferenceServer({ fetch: async () => new Response(null, { status: 401 }) });
   * const { secret } = await server.client.webhooks.create({
   *   url: 'https://example.com/hooks',
   *   events: ['message.received'],
   * });
   * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
   * const { id } = await server.deliveries.waitFor({ status: 'pending' });
   * const { findings } = await server.deliveries.check(id, { secret: secret.replace('whsec_', '') });
   * console.log(findings[0]?.fault); // secret_prefix_missing
   * ```
   */
  check(deliveryId: string, side: ReceiversSide): Promise<DeliveryCheck>;
}

export function deliveriesOf(live: LiveWorkspace): WorkspaceDeliveries {
  return {
    async find(filter = {}) {
      const { differences } = wantedDelivery(filter);
      const attempted = await currentMatches(live, wantedDelivery({}));
      // Each attempt has a copy of its delivery: the last copy is the newest.
      const latest = new Map(attempted.map((delivery) => [delivery.id, delivery])).values();
      return [...latest].filter((delivery) => differences(delivery).length === 0);
    },
    waitFor: async (filter = {}, options = {}) =>
      waitFor(live, wantedDelivery({ ...filter, status: filter.status ?? 'delivered' }), options),
    async redeliver(deliveryId) {
      await live.life.opened();
      return readable(await live.dispatcher.redeliver(deliveryId));
    },
    // Loaded on demand, because most tests never use it.
    explain: async (deliveryId) =>
      (await import('./explanation/explain.js')).explainDelivery(live, deliveryId),
    check: async (deliveryId, side) =>
      (await import('./explanation/explain.js')).checkDelivery(live, deliveryId, side),
  };
}

/** Describes the deliveries that a filter selects. */
export function wantedDelivery(filter: DeliveryFilter): Wanted<Delivery> {
  const fields = {
    event: { name: 'event', of: (delivery: Delivery) => delivery.event },
    contact: contactField<Delivery>(filter.contact, (delivery) => Object(eventDataIn(delivery))),
    subscriptionId: { name: 'subscription', of: (delivery: Delivery) => delivery.subscriptionId },
    status: { name: 'status', of: (delivery: Delivery) => delivery.status },
  };
  return wantedBy('delivery', filter, fields, {
    select: (entry) => (entry.type === 'attempt' ? entry.delivery : undefined),
    describe({ event, attempts, status }) {
      const last = attempts.at(-1);
      return `${event}, ${status} after attempt ${attempts.length} (${last?.error ?? `responded with ${last?.status}`})`;
    },
  });
}
