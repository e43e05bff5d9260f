import { findingOf } from '../../webhooks/diagnose/finding.js';
import type { AnsweredEvidence, Evidence } from './evidence.js';
import type { DeliveryCause } from './explanation.js';

/** How much of a secret is shown, which tells it from another and does not give it away. */
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
      ? "with the subscription's secret, which was deleted since"
      : `with the secret that ends in …${endingOf(subscription.secret)}`;
  const others = evidence.subscriptions.filter(
    ({ id, url }) => url === evidence.delivery.url && id !== evidence.delivery.subscriptionId,
  );
  const other = others[0];
  return {
    cause: 'wrong_secret',
    certainty,
    explanation:
      `The receiver answered ${evidence.status}, as one does that has another secret. The delivery was signed ${withThatEnding}.` +
      (other === undefined
        ? ''
        : ` Subscription ${other.id} leads to the same URL, and its secret ends in …${endingOf(other.secret)}.`),
    advice:
      'Does the WEBHOOK_SECRET of the receiver hold that one, prefix and all? Compare the ends, and correct it.' +
      (other === undefined
        ? ''
        : ' Give the receiver both secrets, or delete the subscription that is not needed.'),
  };
}

export function parsedBody(
  { status, text }: AnsweredEvidence,
  certainty: DeliveryCause['certainty'],
): DeliveryCause {
  const did = certainty === 'certain' ? 'parsed' : 'may have parsed';
  const said = text === '' ? '' : ', and says what it says of a body that is not raw';
  return {
    cause: 'parsed_body',
    certainty,
    explanation:
      `Something before the receiver ${did} the body, so that it had other bytes than those that were signed. ` +
      `It answered ${status}${certainty === 'certain' ? said : ''}.`,
    advice: findingOf('body_rewritten', false).advice,
  };
}

/** The subscription of the delivery. Undefined if it was deleted. */
export function subscriptionOf({
  subscriptions,
  delivery,
}: Evidence): Evidence['subscriptions'][number] | undefined {
  return subscriptions.find(({ id }) => id === delivery.subscriptionId);
}
