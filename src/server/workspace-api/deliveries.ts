import type { WebhookEventType } from '../../contract/delivery.js';
import type { DeliveryCheck, DeliveryExplanation, ReceiversSide } from '../explanation/explanation.js';
import { type Delivery, readable } from '../model/delivery.js';
import type { DeliveryStatus } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { asked, differencesOf, inWords } from './filter.js';
import { currentMatches, type WaitOptions, type Wanted, waitFor } from './wait.js';

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
    explain: async (deliveryId) => (await import('./explain-delivery.js')).explainDelivery(live, deliveryId),
    check: async (deliveryId, side) =>
      (await import('./explain-delivery.js')).checkDelivery(live, deliveryId, side),
  };
}

/** Turns a filter into criteria. */
export function wantedDelivery(filter: DeliveryFilter): Wanted<Delivery> {
  const { event, contact, subscriptionId, status } = filter;
  const criteria = asked<Delivery>(filter, {
    event: { name: 'event', wanted: event, actual: (delivery) => delivery.event },
    contact: {
      name: 'contact',
      wanted: contact,
      actual: (delivery) => fieldOfData(delivery, contact?.startsWith('+') ? 'phone' : 'contactId'),
    },
    subscriptionId: {
      name: 'subscription',
      wanted: subscriptionId,
      actual: (delivery) => delivery.subscriptionId,
    },
    status: { name: 'status', wanted: status, actual: (delivery) => delivery.status },
  });
  return {
    subject: criteria.length === 0 ? 'delivery' : `delivery with ${inWords(criteria)}`,
    select: (entry) => (entry.type === 'attempt' ? entry.delivery : undefined),
    differences: (delivery) => differencesOf(criteria, delivery),
    describe,
  };
}

function describe({ event, attempts, status }: Delivery): string {
  const last = attempts.at(-1);
  return `${event}, ${status} after attempt ${attempts.length} (${last?.error ?? `answered ${last?.status}`})`;
}

function fieldOfData({ bodyText }: Delivery, name: string): unknown {
  const event: unknown = JSON.parse(bodyText);
  return Reflect.get(Object(Reflect.get(Object(event), 'data')), name);
}
