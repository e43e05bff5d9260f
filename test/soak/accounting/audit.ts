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
  const { before, after, calls, clock, delayed } = evidence;
  const subscriptions = knownSubscriptions(before.subscriptions, after.subscriptions, calls);
  const earlier = new Map(before.deliveries.map((delivery) => [delivery.id, delivery]));
  const there = new Set(after.deliveries.map(({ id }) => id));
  return [
    ...[...earlier.keys()].filter((id) => !there.has(id)).map((id) => `the delivery ${id} is gone: lost`),
    ...problemsWithCauses(after.deliveries, {
      ...evidence,
      subscriptions,
      before: new Set(earlier.keys()),
    }),
    ...after.deliveries.flatMap((delivery) => {
      const previous = earlier.get(delivery.id);
      const subscription = subscriptions.get(delivery.subscriptionId);
      return [
        ...(previous !== undefined && previous.body !== delivery.body
          ? [`the delivery ${delivery.id} has other bytes than before`]
          : []),
        ...problemsWithCourse(delivery, {
          clock,
          delayed,
          secret: subscription?.secret,
          // One that a copy began with may be a subscription's that was deleted before.
          mayBeCancelled: (subscription?.maybeUntil ?? 0) < Number.POSITIVE_INFINITY,
          attemptsBefore: previous?.attempts.length ?? 0,
        }),
      ];
    }),
  ];
}

/** The deliveries of a workspace with the attempts that it made itself. */
export function sentBy({ before, after, calls }: Evidence): readonly Sent[] {
  const subscriptions = knownSubscriptions(before.subscriptions, after.subscriptions, calls);
  const earlier = new Map(before.deliveries.map(({ id, attempts }) => [id, attempts.length]));
  return after.deliveries.flatMap((delivery) => {
    const secret = subscriptions.get(delivery.subscriptionId)?.secret;
    const attempts = delivery.attempts.slice(earlier.get(delivery.id) ?? 0);
    return secret === undefined ? [] : [{ delivery, attempts, secret }];
  });
}
