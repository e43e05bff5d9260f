import { problemsWithCauses } from './causes.js';
import { problemsWithCourse } from './course.js';
import type { Evidence } from './evidence.js';
import type { Sent } from './posts.js';
import { problemsWithProcessing } from './processing.js';
import { problemsWithRecords } from './records.js';
import { knownSubscriptions } from './subscriptions.js';

/** What does not add up in a workspace, in words. */
export function auditWorkspace(evidence: Evidence): readonly string[] {
  return [
    ...problemsWithRecords(evidence),
    ...problemsWithDeliveries(evidence),
    ...problemsWithProcessing(evidence),
  ].map((problem) => `${evidence.name}: ${problem}`);
}

function problemsWithDeliveries(evidence: Evidence): readonly string[] {
  const { after, calls, clock, delayed } = evidence;
  const subscriptions = knownSubscriptions(after.subscriptions, calls);
  return [
    ...problemsWithCauses(after.deliveries, { ...evidence, subscriptions }),
    ...after.deliveries.flatMap((delivery) => {
      const subscription = subscriptions.get(delivery.subscriptionId);
      return problemsWithCourse(delivery, {
        clock,
        delayed,
        secret: subscription?.secret,
        mayBeCancelled: (subscription?.maybeUntil ?? 0) < Number.POSITIVE_INFINITY,
      });
    }),
  ];
}

/** The deliveries of a workspace with the secrets that sign them. */
export function sentBy({ after, calls }: Evidence): readonly Sent[] {
  const subscriptions = knownSubscriptions(after.subscriptions, calls);
  return after.deliveries.flatMap((delivery) => {
    const secret = subscriptions.get(delivery.subscriptionId)?.secret;
    return secret === undefined ? [] : [{ delivery, secret }];
  });
}
