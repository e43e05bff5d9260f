import { signatureHeader } from '../../contract/delivery.js';
import { signWebhook } from '../../webhooks/verification/sign.js';
import { causesOf } from './causes.js';
import type { Evidence } from './evidence.js';
import type { DeliveryExplanation } from './explanation.js';
import { endingOf, subscriptionOf } from './signature-causes.js';

/** Explains a delivery's status from the evidence. */
export function explain(evidence: Evidence): DeliveryExplanation {
  const { delivery, clocks } = evidence;
  return {
    deliveryId: delivery.id,
    status: delivery.status,
    signature: signatureIn(evidence),
    clocks,
    causes: causesOf(evidence),
  };
}

function signatureIn(evidence: Evidence): DeliveryExplanation['signature'] {
  const sent = evidence.delivery.attempts.at(-1)?.signature;
  const secret = subscriptionOf(evidence)?.secret;
  const computed = secret === undefined ? undefined : signWebhook(evidence.body, secret);
  return {
    header: signatureHeader,
    ...(sent !== undefined && { sent }),
    ...(computed !== undefined && { computed }),
    ...(sent !== undefined && computed !== undefined && { matches: sent === computed }),
    ...(secret !== undefined && { secretEnding: endingOf(secret) }),
  };
}
