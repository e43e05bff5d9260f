import { findingOf } from '../../webhooks/diagnose/finding.js';
import type { AnsweredEvidence, Evidence } from './evidence.js';
import type { DeliveryCause } from './explanation.js';

/** How many characters of a secret are shown: enough to tell secrets apart without revealing them. */
const shownOfSecret = 4;

export function endingOf(secret: string): string {
  return secret.slice(-shownOfSecret);
}

export function wrongSecret(
  evidence: AnsweredEvidence,
  certainty: DeliveryCause['certainty'],
): DeliveryCause {
  const subscription = subscriptionOf(evidence);
  const withThatEnding =
    subscription === undefined
      ? "with the subscription's secret, which was deleted in the meantime"
      : `with the secret that ends in …${endingOf(subscription.secret)}`;
  const others = evidence.subscriptions.filter(
    ({ id, url }) => url === evidence.delivery.url && id !== evidence.delivery.subscriptionId,
  );
  const other = others[0];
  return {
    cause: 'wrong_secret',
    certainty,
    explanation:
      `The receiver answered ${evidence.status}, as a receiver with another secret does. The delivery was signed ${withThatEnding}.` +
      (other === undefined
        ? ''
        : ` Subscription ${other.id} delivers to the same URL, and its secret ends in …${endingOf(other.secret)}.`),
    advice:
      'Compare the last characters with those of the WEBHOOK_SECRET of the receiver, and correct the secret. The prefix whsec_ is a part of it.' +
      (other === undefined
        ? ''
        : ' Configure the receiver with both secrets, or delete the subscription that you do not need.'),
  };
}

export function parsedBody(
  { status, text }: AnsweredEvidence,
  certainty: DeliveryCause['certainty'],
): DeliveryCause {
  const did = certainty === 'certain' ? 'parsed' : 'may have parsed';
  const said = text === '' ? '' : ', and its response names a body that is not raw';
  return {
    cause: 'parsed_body',
    certainty,
    explanation:
      `Something in front of the receiver ${did} the body, so the receiver verified other bytes than the signed ones. ` +
      `It answered ${status}${certainty === 'certain' ? said : ''}.`,
    advice: findingOf('body_rewritten', false).advice,
  };
}

/** Finds the subscription of the delivery. Undefined if it was deleted. */
export function subscriptionOf({
  subscriptions,
  delivery,
}: Evidence): Evidence['subscriptions'][number] | undefined {
  return subscriptions.find(({ id }) => id === delivery.subscriptionId);
}
