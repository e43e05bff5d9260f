import { momentOf } from '../../contract/timestamp.js';
import { bytesOf } from '../deliveries/sender.js';
import type { Evidence } from '../explanation/evidence.js';
import { check, explain } from '../explanation/explain.js';
import type { DeliveryCheck, DeliveryExplanation, ReceiversSide } from '../explanation/explanation.js';
import { rangeOf } from '../model/page.js';
import type { DeliveryRecord } from '../model/records.js';
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
  return {
    delivery,
    body,
    subscriptions: await store.subscriptions.list(),
    acknowledgedOthers: await isAnotherAcknowledged(live, delivery),
    rules: live.faults.list(),
    clocks: {
      ...(timestamp !== undefined && { timestamp }),
      machine: attempt?.machineTime ?? live.machine.now(),
      workspace: attempt?.startedAt ?? environment.clock.now(),
      ...(attempt?.receiverTime !== undefined && { receiver: attempt.receiverTime }),
    },
    now: environment.clock.now(),
    isFrozen: live.clock.isFrozen,
    receiverMode: live.receiver.mode,
    stamps: live.deliveryTimestamps(),
  };
}

/** Whether the receiver itself, and not an injected fault, acknowledged another delivery to the same subscription. */
async function isAnotherAcknowledged(
  { context }: LiveWorkspace,
  { id: own, subscriptionId }: DeliveryRecord,
): Promise<boolean> {
  let cursor: string | undefined;
  for (;;) {
    const page = await context.store.outbox.page(
      { subscriptionId, status: 'delivered' },
      rangeOf({ cursor }),
    );
    if (page.data.some(({ id, attempts }) => id !== own && attempts.at(-1)?.faults === undefined))
      return true;
    if (!page.more) return false;
    cursor = page.cursor;
  }
}

function timestampIn(body: Uint8Array): number | undefined {
  const event: unknown = JSON.parse(new TextDecoder().decode(body));
  const timestamp: unknown = Reflect.get(Object(event), 'timestamp');
  return typeof timestamp === 'string' ? momentOf(timestamp) : undefined;
}
