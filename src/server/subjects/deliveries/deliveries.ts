import * as z from 'zod/mini';
import type { WebhookEventType } from '../../../contract/delivery.js';
import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import { isObject } from '../../../foundation/is-object.js';
import { aString, checkOptionsOfCall, oneOf, protects, trueOrFalse } from '../../../foundation/options.js';
import { eventDataIn } from '../../inspection/code.js';
import { type Delivery, readable } from '../../model/journal-entry.js';
import type { PageRange } from '../../model/page.js';
import { type DeliveryRecord, type DeliveryStatus, deliveryStatuses } from '../../model/records.js';
import { type LiveWorkspace, run } from '../../workspace/live-workspace.js';
import { deliveryAsJson } from '../journal/entry-json.js';
import { operation, orInvalid } from '../operation.js';
import { type ForgetfulPage, named, pageWithin, type ReadOptions } from '../pages.js';
import type * as Shapes from '../shapes.js';
import { contactField, currentMatches, type WaitOptions, type Wanted, waitFor, wantedBy } from '../wait.js';
import {
  type DeliveryCheck,
  type DeliveryExplanation,
  explanationShapes,
  type ReceiversSide,
} from './explanation/explanation.js';

/** Selects webhook deliveries. A delivery must match every field that is set. */
export type DeliveryFilter = {
  readonly event?: WebhookEventType | undefined;
  /** The id or phone of the contact in the event. */
  readonly contact?: string | undefined;
  readonly subscriptionId?: string | undefined;
  /** The status of the delivery after its last attempt: `pending` while a retry is due. */
  readonly status?: DeliveryStatus | undefined;
};

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
export type WorkspaceDeliveries = {
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
   * Sends the same bytes to the same subscription again, as a new delivery. With `ifFailed`, only if the delivery failed and
   * has no redelivery: of several such calls for one delivery, one succeeds. Default: in any case.
   *
   * @throws Error if the delivery or its subscription no longer exists, or `ifFailed` does not hold.
   */
  redeliver(deliveryId: string, options?: { readonly ifFailed?: boolean | undefined }): Promise<Delivery>;
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
};

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
      waitFor(
        live,
        wantedDelivery(
          isObject(filter) && filter.status === undefined ? { ...filter, status: 'delivered' } : filter,
        ),
        options,
      ),
    async redeliver(deliveryId, options = {}) {
      checkOptionsOfCall('deliveries.redeliver', options, { ifFailed: protects(trueOrFalse) });
      return run(live, () => redeliver(live, deliveryId, options));
    },
    // Loaded on demand, because most tests never use it.
    explain: (deliveryId) =>
      run(live, async () => (await import('./explanation/explain.js')).explainDelivery(live, deliveryId)),
    async check(deliveryId, side) {
      checkOptionsOfCall('deliveries.check', side, { secret: aString, body: aString });
      return run(live, async () =>
        (await import('./explanation/explain.js')).checkDelivery(live, deliveryId, side),
      );
    },
  };
}

/** Sends the bytes of a delivery again. */
async function redeliver(
  { dispatcher }: LiveWorkspace,
  deliveryId: string,
  { ifFailed = false }: NonNullable<Parameters<WorkspaceDeliveries['redeliver']>[1]>,
): Promise<Delivery> {
  return readable(await dispatcher.redeliver(deliveryId, ifFailed ? 'if_failed' : undefined));
}

/** Describes the deliveries that a filter selects. */
function wantedDelivery(filter: DeliveryFilter): Wanted<Delivery> {
  const fields = {
    event: {
      name: 'event',
      check: oneOf(...webhookEventTypes),
      of: (delivery: Delivery) => delivery.event,
    },
    contact: contactField<Delivery>(filter?.contact, (delivery) => Object(eventDataIn(delivery))),
    subscriptionId: { name: 'subscription', of: (delivery: Delivery) => delivery.subscriptionId },
    status: {
      name: 'status',
      check: oneOf(...deliveryStatuses),
      of: (delivery: Delivery) => delivery.status,
    },
  };
  return wantedBy('delivery', filter, fields, {
    select: (entry) => (entry.type === 'attempt' ? entry.delivery : undefined),
    describe({ event, attempts, status }) {
      const last = attempts.at(-1);
      return `${event}, ${status} after attempt ${attempts.length} (${last?.error ?? `responded with ${last?.status}`})`;
    },
  });
}

async function readDeliveries(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: DeliveryFilter & ReadOptions,
): Promise<ForgetfulPage<DeliveryRecord>> {
  const { store } = live.context;
  // The same default as `deliveries.waitFor`: wait for an acknowledged delivery.
  const wanted = wait === undefined ? filter : { ...filter, status: filter.status ?? 'delivered' };
  const { contact, ...fields } = wanted;
  const read = (range: PageRange) => store.outbox.page({ ...fields, ...named(contact) }, range);
  const page = await pageWithin(live, wantedDelivery(wanted), read, { limit, cursor, wait, gone });
  return { ...page, forgotten: (await store.countForgotten()).deliveries };
}

export const deliveriesOperations = (shapes: typeof Shapes) => {
  const { text, optional, contact, waiting, waits, deliverySchema } = shapes;
  const { explanation, side, check } = explanationShapes(shapes);
  return {
    find: operation('deliveries.find', 'GET', '/control/deliveries', {
      summary:
        'Lists the webhook deliveries with their attempts, oldest first. `wait` without `status` waits for one that was delivered.',
      query: {
        event: optional(z.enum(webhookEventTypes), 'The type of the event.'),
        contact,
        subscriptionId: optional(text, 'The id of the subscription.'),
        status: optional(
          z.enum(deliveryStatuses),
          'The status of the delivery; pending while an attempt is due.',
        ),
        ...waiting,
      },
      result: shapes.pageOfLatest(deliverySchema),
      refusals: waits,
      rule: async (live, { query, request: { gone } }) => {
        const found = await readDeliveries(live, { ...query, gone });
        return { ...found, data: found.data.map(deliveryAsJson) };
      },
    }),
    redeliver: operation('deliveries.redeliver', 'POST', '/control/deliveries/:id/redeliver', {
      summary: 'Sends the same bytes to the same subscription again, as a new delivery.',
      query: {
        ifFailed: optional(
          shapes.yesOrNo,
          'true: only if the delivery failed and has no redelivery. Of several such requests, one succeeds.',
        ),
      },
      status: 202,
      result: deliverySchema,
      refusals: {
        404: 'No delivery has this id, or its subscription was deleted.',
        409: 'With `ifFailed`: the delivery has not failed, or it has a redelivery.',
      },
      rule: async (live, { path, query: { ifFailed = false } }) =>
        deliveryAsJson(await deliveriesOf(live).redeliver(path.id, { ifFailed })),
    }),
    explain: operation('deliveries.explain', 'GET', '/control/deliveries/:id/explanation', {
      summary:
        'Explains why a delivery failed: its causes, the most likely first, with its signature and the clocks.',
      result: explanation,
      refusals: { 404: 'No delivery has this id.' },
      rule: (live, { path }) => deliveriesOf(live).explain(path.id),
    }),
    check: operation('deliveries.check', 'POST', '/control/deliveries/:id/check', {
      summary:
        "Verifies a delivery with its receiver's `secret`, with the `body` that it hashed, or with both, and explains a mismatch.",
      body: side,
      result: check,
      refusals: { 404: 'No delivery has this id, or its subscription was deleted and there is no `secret`.' },
      rule: (live, { path, body }) => orInvalid(() => deliveriesOf(live).check(path.id, body)),
    }),
  };
};
