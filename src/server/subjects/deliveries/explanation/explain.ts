import { signatureHeader } from '../../../../contract/delivery.js';
import { diagnoseWebhook } from '../../../../webhooks/diagnose/diagnose.js';
import { keyVariants } from '../../../../webhooks/diagnose/variants.js';
import { signWebhook } from '../../../../webhooks/verification/sign.js';
import type { SubscriptionRecord } from '../../../model/records.js';
import { ServiceError } from '../../../model/service-error.js';
import type { LiveWorkspace } from '../../../workspace/live-workspace.js';
import { endingOf } from '../../subscriptions.js';
import { causesOf } from './causes.js';
import { type DeliveryEvidence, evidenceOf, subscriptionOf } from './evidence.js';
import type { DeliveryCheck, DeliveryExplanation, DeliveryFinding, ReceiversSide } from './explanation.js';
import { remedyOfDelivery } from './remedy.js';

/** Explains the status of a delivery. Throws if the delivery does not exist. */
export async function explainDelivery(live: LiveWorkspace, deliveryId: string): Promise<DeliveryExplanation> {
  const evidence = await evidenceOf(live, deliveryId);
  const { delivery, clocks } = evidence;
  const remedy = remedyOfDelivery(evidence);
  return {
    deliveryId: delivery.id,
    status: delivery.status,
    signature: signatureIn(evidence),
    clocks,
    causes: causesOf(evidence),
    ...(remedy !== undefined && { remedy }),
  };
}

function signatureIn(evidence: DeliveryEvidence): DeliveryExplanation['signature'] {
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

/**
 * Verifies a delivery as its receiver does, with the receiver's secret or body.
 *
 * @throws ServiceError if the delivery does not exist, or `side` has no secret and the subscription was deleted with its secret;
 *   TypeError for an invalid secret, as `verifyWebhook` does.
 */
export async function checkDelivery(
  live: LiveWorkspace,
  deliveryId: string,
  side: ReceiversSide,
): Promise<DeliveryCheck> {
  const evidence = await evidenceOf(live, deliveryId);
  const { delivery, subscriptions } = evidence;
  const own = subscriptionOf(evidence)?.secret;
  const secret = side.secret ?? own;
  const sent = delivery.attempts.at(-1)?.signature ?? (own && signWebhook(evidence.body, own));
  if (secret === undefined || sent === undefined) {
    throw new ServiceError(
      'not_found',
      'The subscription of this delivery was deleted with its secret. Pass the `secret` that the receiver has.',
    );
  }
  const { verified, findings } = diagnoseWebhook(side.body ?? evidence.body, sent, secret);
  if (verified) return { verified, findings: [] };
  const other = ownerOf(
    secret,
    subscriptions.filter(({ id }) => id !== delivery.subscriptionId),
  );
  return { verified, findings: other === undefined ? findings : [secretOf(other, delivery.subscriptionId)] };
}

/** Finds the subscription with this secret, even if the secret has quotes or white space around it. */
function ownerOf(secret: string, others: readonly SubscriptionRecord[]): SubscriptionRecord | undefined {
  const keys: readonly unknown[] = [secret, ...keyVariants(secret).map(({ value }) => value)];
  return others.find((other) => keys.includes(other.secret));
}

function secretOf({ id, url }: SubscriptionRecord, own: string): DeliveryFinding {
  return {
    fault: 'secret_of_another_subscription',
    proven: true,
    explanation: `The secret belongs to subscription ${id}, which delivers to ${url}.`,
    advice: `Configure the receiver with the secret of subscription ${own}, which signed this delivery, or with both if it receives for both.`,
  };
}
