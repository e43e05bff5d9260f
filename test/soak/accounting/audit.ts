import { callsOf } from '../calls.js';
import { journeyWays } from '../scenario.js';
import { problemsWithCauses } from './causes.js';
import { problemsWithContacts } from './contacts.js';
import { problemsWithCourse } from './course.js';
import { problemsWithEvents, problemsWithProcessing } from './events.js';
import type { Evidence } from './evidence.js';
import type { Sent } from './posts.js';
import { problemsWithApiSends, problemsWithJourneySends, problemsWithQuota } from './sends.js';
import { knownSubscriptions, problemsWithSubscriptions } from './subscriptions.js';
import { countBy, problemsWithTraces } from './trace.js';

/** What does not add up in a workspace, in words. */
export function auditWorkspace(evidence: Evidence): readonly string[] {
  const { name, before, after, calls, segmentMembers } = evidence;
  const old = new Set(before.sends.map(({ id }) => id));
  return [
    ...problemsWithMessages(evidence),
    ...problemsWithDeliveries(evidence),
    ...problemsWithSubscriptions(before.subscriptions, after.subscriptions, calls),
    ...problemsWithContacts(before.contacts, after.contacts, calls),
    ...problemsWithApiSends(
      after.sends.filter(({ id }) => !old.has(id)),
      calls,
    ),
    ...problemsWithJourneySends(after, journeyWays),
    ...problemsWithQuota(before, after),
    ...problemsWithEvents(after.events, before.events, calls),
    ...problemsWithProcessing(after, segmentMembers),
  ].map((problem) => `${name}: ${problem}`);
}

function problemsWithMessages({ calls, messages }: Pick<Evidence, 'calls' | 'messages'>): readonly string[] {
  const asked = callsOf(calls, 'message');
  const noted = countBy(messages, ({ messageId }) => messageId);
  const known = new Set(asked.map(({ messageId }) => messageId));
  return [
    ...asked.flatMap(({ messageId, outcome }) =>
      problemsWithTraces(`the message ${messageId}`, outcome, noted.get(messageId) ?? 0),
    ),
    ...[...noted.keys()]
      .filter((id) => !known.has(id))
      .map((id) => `the message ${id} came from nobody: invented`),
  ];
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
