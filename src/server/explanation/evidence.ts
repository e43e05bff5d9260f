import type { DeliveryTimestamps } from '../model/environment.js';
import type { FaultRule } from '../model/fault.js';
import { receiverUrl } from '../model/listener.js';
import type { ReceiverMode } from '../model/receiver.js';
import type { AttemptRecord, DeliveryRecord, SubscriptionRecord } from '../model/records.js';
import type { DeliveryExplanation } from './explanation.js';

/** Everything that is known about the delivery to explain. */
export interface Evidence {
  readonly delivery: DeliveryRecord;
  /** The bytes of the last attempt, or of the first if none was made. Without the changes of injected faults. */
  readonly body: Uint8Array;
  /** All subscriptions of the workspace. The delivery's subscription is missing if it was deleted. */
  readonly subscriptions: readonly SubscriptionRecord[];
  /** Whether the receiver has acknowledged another delivery to the same subscription. */
  readonly acknowledgedOthers: boolean;
  readonly rules: readonly { readonly id: string; readonly rule: FaultRule }[];
  readonly clocks: DeliveryExplanation['clocks'];
  /** The workspace's clock now. */
  readonly now: number;
  readonly isFrozen: boolean;
  /** How the built-in receiver responds now. */
  readonly receiverMode: ReceiverMode;
  /** Which clock sets the timestamps of deliveries. */
  readonly stamps: DeliveryTimestamps;
}

/** The evidence after at least one attempt, with the last one. */
export interface AttemptedEvidence extends Evidence {
  readonly attempt: AttemptRecord;
}

/** An attempt to which the receiver responded with a status other than 2xx. */
export interface ResponseEvidence extends AttemptedEvidence {
  readonly status: number;
  /** The beginning of the response's text, without the markup of an HTML page. */
  readonly text: string;
}

/** Returns the URL of the receiver. Undefined if it is not a valid URL, because a listener can name any target. */
export function urlOf({ delivery }: Evidence): URL | undefined {
  const url = receiverUrl(delivery.url);
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** Returns the host of the receiver, with its port. */
export function hostOf(evidence: Evidence): string {
  return urlOf(evidence)?.host || receiverUrl(evidence.delivery.url);
}

/** Finds the subscription of the delivery. Undefined if it was deleted. */
export function subscriptionOf({ subscriptions, delivery }: Evidence): SubscriptionRecord | undefined {
  return subscriptions.find(({ id }) => id === delivery.subscriptionId);
}

/** How many characters of a secret are shown: enough to tell secrets apart without revealing them. */
const shownOfSecret = 4;

export function endingOf(secret: string): string {
  return secret.slice(-shownOfSecret);
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
