import { momentOf } from '../../../../contract/timestamp.js';
import type { Bytes } from '../../../../foundation/bytes.js';
import { bytesOf } from '../../../deliveries/sender.js';
import type { FaultState } from '../../../faults/workspace-faults.js';
import type { DeliveryTimestamps } from '../../../model/environment.js';
import { receiverUrl } from '../../../model/listener.js';
import { rangeOf } from '../../../model/page.js';
import type { ReceiverMode } from '../../../model/receiver.js';
import type { AttemptRecord, DeliveryRecord, SubscriptionRecord } from '../../../model/records.js';
import { ServiceError } from '../../../model/service-error.js';
import type { LiveWorkspace } from '../../../workspace/live-workspace.js';
import type { DeliveryExplanation } from './explanation.js';

/** Everything that is known about a delivery to explain. */
export interface DeliveryEvidence {
  readonly delivery: DeliveryRecord;
  /** The bytes of the last attempt, or of the first if none was made. Without the changes of injected faults. */
  readonly body: Bytes;
  /** All subscriptions of the workspace. The delivery's subscription is missing if it was deleted. */
  readonly subscriptions: readonly SubscriptionRecord[];
  /** Whether the receiver has acknowledged another delivery to the same subscription. */
  readonly acknowledgedOthers: boolean;
  readonly rules: readonly FaultState[];
  readonly clocks: DeliveryExplanation['clocks'];
  /** The workspace's clock now. */
  readonly now: number;
  readonly isFrozen: boolean;
  /** How the built-in receiver responds now. */
  readonly receiverMode: ReceiverMode;
  /** Which clock sets the timestamps of deliveries. */
  readonly stamps: DeliveryTimestamps;
}

/** @throws ServiceError if the delivery does not exist. */
export async function evidenceOf(live: LiveWorkspace, deliveryId: string): Promise<DeliveryEvidence> {
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
    receiverMode: live.settings.now.receiver,
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

/** The evidence after at least one attempt, with the last one. */
export interface AttemptedEvidence extends DeliveryEvidence {
  readonly attempt: AttemptRecord;
}

/** An attempt to which the receiver responded with a status other than 2xx. */
export interface ResponseEvidence extends AttemptedEvidence {
  readonly status: number;
  /** The beginning of the response's text, without the markup of an HTML page. */
  readonly text: string;
}

/** Returns the URL of the receiver. Undefined if it is not a valid URL, because a listener can name any target. */
export function urlOf({ delivery }: DeliveryEvidence): URL | undefined {
  const url = receiverUrl(delivery.url);
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** Returns the host of the receiver, with its port. */
export function hostOf(evidence: DeliveryEvidence): string {
  return urlOf(evidence)?.host || receiverUrl(evidence.delivery.url);
}

/** Finds the subscription of the delivery. Undefined if it was deleted. */
export function subscriptionOf({
  subscriptions,
  delivery,
}: DeliveryEvidence): SubscriptionRecord | undefined {
  return subscriptions.find(({ id }) => id === delivery.subscriptionId);
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

/** Returns the text of a response on one line, without the markup of an error page. */
export function textIn(response: string): string {
  const isPage = /^\s*<(!doctype|html|head|body|pre)\b/i.test(response);
  const text = isPage
    ? response
        .replace(/<(title|style|script)\b.*?<\/\1>|<[^>]*>/gis, ' ')
        .replace(/&[#\w]{1,6};/g, (entity) => entities[entity] ?? entity)
    : response;
  return text.replace(/\s+/g, ' ').trim();
}
