import { momentOf } from '../../contract/timestamp.js';
import { bytesOf } from '../deliveries/restamp.js';
import type { Evidence } from '../explanation/evidence.js';
import { check, explain } from '../explanation/explain.js';
import type { DeliveryCheck, DeliveryExplanation, ReceiversSide } from '../explanation/explanation.js';
import { rangeOf } from '../model/page.js';
import { ServiceError } from '../model/service-error.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** Explains the status of a delivery. Throws if the delivery does not exist. */
export async function explainDelivery(live: LiveWorkspace, deliveryId: string): Promise<DeliveryExplanation> {
  return explain(await evidenceOf(live, deliveryId));
}

/** Verifies a delivery with the receiver's secret or body. Throws if the delivery does not exist. */
export async function checkDelivery(
  live: LiveWorkspace,
  deliveryId: string,
  side: ReceiversSide,
): Promise<DeliveryCheck> {
  const checked = check(await evidenceOf(live, deliveryId), side);
  if (checked === undefined) {
    throw new ServiceError(
      'not_found',
      'The subscription of this delivery was deleted with its secret. Pass the `secret` that the receiver has.',
    );
  }
  return checked;
}

async function evidenceOf(live: LiveWorkspace, deliveryId: string): Promise<Evidence> {
  await live.life.opened();
  const { store, environment } = live.context;
  const delivery = await store.outbox.find(deliveryId);
  if (delivery === undefined)
    throw new ServiceError('not_found', 'There is no such delivery in this workspace.');
  const attempt = delivery.attempts.at(-1);
  const body = bytesOf(delivery.body, attempt?.timestamp);
  const timestamp = timestampIn(body);
  const { subscriptionId } = delivery;
  const acknowledged = await store.outbox.page({ subscriptionId, status: 'delivered' }, rangeOf({}));
  return {
    delivery,
    body,
    subscriptions: await store.subscriptions.list(),
    acknowledgedOthers: acknowledged.data.some(
      // By the receiver itself, and not by an injected fault.
      ({ id, attempts }) => id !== deliveryId && attempts.at(-1)?.faults === undefined,
    ),
    rules: live.faults.list(),
    clocks: {
      ...(timestamp !== undefined && { timestamp }),
      machine: attempt?.machineTime ?? live.machine.now(),
      workspace: attempt?.startedAt ?? environment.clock.now(),
      ...(attempt?.receiverTime !== undefined && { receiver: attempt.receiverTime }),
    },
    now: environment.clock.now(),
    stamps: live.deliveryTimestamps(),
  };
}

function timestampIn(body: Uint8Array): number | undefined {
  const event: unknown = JSON.parse(new TextDecoder().decode(body));
  const timestamp: unknown = Reflect.get(Object(event), 'timestamp');
  return typeof timestamp === 'string' ? momentOf(timestamp) : undefined;
}
