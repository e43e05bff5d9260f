import { callsOf } from '../calls.js';
import { journeyWays } from '../scenario.js';
import { problemsWithArrivals, type Sent } from './arrivals.js';
import { problemsWithCauses } from './causes.js';
import { problemsWithContacts } from './contacts.js';
import { problemsWithCourse } from './course.js';
import { problemsWithEvents, problemsWithProcessing, tokenOf } from './events.js';
import type { Arrival, ClosedEvidence, Evidence } from './evidence.js';
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

/** The same for a workspace that was closed with work under way, of which only the journal is left. */
export function auditClosedWorkspace(evidence: ClosedEvidence): readonly string[] {
  const { name, calls, deliveries, sends, events, attemptsAtClose, attemptsAtEnd } = evidence;
  const subscriptions = knownSubscriptions([], [], calls);
  const known = deliveries.filter(({ subscriptionId }) => subscriptions.has(subscriptionId));
  const tracked = countBy(events, tokenOf);
  return [
    ...(attemptsAtEnd > attemptsAtClose
      ? [`${attemptsAtEnd - attemptsAtClose} attempts were made after it was closed`]
      : []),
    ...problemsWithMessages(evidence),
    // A subscription whose making was not answered is known by nobody any more.
    ...problemsWithCauses(known, { ...evidence, subscriptions, before: new Set(), complete: false }),
    ...known.flatMap((delivery) =>
      problemsWithCourse(delivery, {
        clock: 'flowing',
        delayed: true,
        secret: subscriptions.get(delivery.subscriptionId)?.secret,
        mayBeCancelled: true,
        complete: false,
        attemptsBefore: 0,
      }),
    ),
    ...problemsWithApiSends(sends, calls),
    ...callsOf(calls, 'track').flatMap(({ token, outcome }) =>
      problemsWithTraces(`the event ${token}`, outcome, tracked.get(token) ?? 0),
    ),
  ].map((problem) => `${name}: ${problem}`);
}

/** Holds what all receivers of a round wrote down against what its workspaces sent. */
export function auditArrivals(
  workspaces: readonly Evidence[],
  closed: readonly ClosedEvidence[],
  arrivals: readonly Arrival[],
): readonly string[] {
  const openPaths = new Set(
    closed.flatMap(({ calls }) => callsOf(calls, 'subscribe')).map(({ url }) => new URL(url).pathname),
  );
  return problemsWithArrivals(
    [...workspaces.flatMap(sentBy), ...closed.flatMap(sentByClosed)],
    arrivals,
    openPaths,
  );
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
      complete: true,
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
          complete: true,
          attemptsBefore: previous?.attempts.length ?? 0,
        }),
      ];
    }),
  ];
}

function sentBy({ before, after, calls }: Evidence): readonly Sent[] {
  const subscriptions = knownSubscriptions(before.subscriptions, after.subscriptions, calls);
  const earlier = new Map(before.deliveries.map(({ id, attempts }) => [id, attempts.length]));
  return after.deliveries.flatMap((delivery) => {
    const secret = subscriptions.get(delivery.subscriptionId)?.secret;
    const attempts = delivery.attempts.slice(earlier.get(delivery.id) ?? 0);
    return secret === undefined ? [] : [{ delivery, attempts, secret }];
  });
}

function sentByClosed({ deliveries, calls }: ClosedEvidence): readonly Sent[] {
  const subscriptions = knownSubscriptions([], [], calls);
  return deliveries.flatMap((delivery) => {
    const secret = subscriptions.get(delivery.subscriptionId)?.secret;
    return secret === undefined ? [] : [{ delivery, attempts: delivery.attempts, secret }];
  });
}
