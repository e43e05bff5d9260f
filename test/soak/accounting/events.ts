import type { EventRecord, WorkspaceSnapshot } from 'messaging-automation/server';
import { type Call, callsOf } from '../calls.js';
import { mayHaveBeenDeleted } from './contacts.js';
import { countBy, problemsWithTraces, repeated } from './trace.js';

/** The property of a tracked event by which its call is known. */
export function tokenOf({ properties }: EventRecord): string {
  return String(properties.token);
}

/** Whether each event that was accepted is there once, unless its contact was deleted, and no other. */
export function problemsWithEvents(
  events: readonly EventRecord[],
  before: readonly EventRecord[],
  calls: readonly Call[],
): readonly string[] {
  const old = new Set(before.map(({ id }) => id));
  const counts = countBy(
    events.filter(({ id }) => !old.has(id)),
    tokenOf,
  );
  const asked = callsOf(calls, 'track');
  const known = new Set(asked.map(({ token }) => token));
  return [
    ...repeated(events, ({ id }) => id).map((id) => `the event ${id} is there twice`),
    ...asked.flatMap((call) =>
      problemsWithTraces(
        `the event ${call.token}`,
        call.outcome,
        counts.get(call.token) ?? 0,
        mayHaveBeenDeleted(calls, call),
      ),
    ),
    ...[...counts.keys()]
      .filter((token) => !known.has(token))
      .map((token) => `the event ${token} is there and nobody tracked it: invented`),
  ];
}

/** Whether each event was processed once: one run of each journey of its name, and one more in each segment's count. */
export function problemsWithProcessing(
  state: WorkspaceSnapshot,
  segmentMembers: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const { workspace, contacts, events, waitingEventIds, journeyRuns } = state;
  const there = new Set(contacts.map(({ id }) => id));
  const pairs = countBy(journeyRuns, ({ eventId, journeyId }) => `${eventId} ${journeyId}`);
  const due = new Set<string>();
  const problems = waitingEventIds.map((id) => `the event ${id} was never processed: lost`);
  for (const { id, event, contactId } of events) {
    if (!there.has(contactId)) problems.push(`the event ${id} is there, and its contact is not`);
    for (const journey of workspace.journeys.filter((each) => each.event === event)) {
      const pair = `${id} ${journey.id}`;
      due.add(pair);
      const runs = pairs.get(pair) ?? 0;
      if (runs !== 1) problems.push(`the event ${id} has started ${runs} runs of ${journey.id} instead of 1`);
    }
  }
  for (const pair of pairs.keys()) {
    if (!due.has(pair)) problems.push(`there is a journey run that nothing started (${pair}): invented`);
  }
  for (const { id, status } of journeyRuns) {
    if (status === 'waiting') problems.push(`the run ${id} waits for nothing`);
  }
  return [...problems, ...problemsWithSegments(state, segmentMembers)];
}

function problemsWithSegments(
  { workspace, events }: WorkspaceSnapshot,
  segmentMembers: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  return workspace.segments.flatMap((segment) => {
    const members = segmentMembers[segment.id];
    if (!('event' in segment) || segment.within !== undefined || members === undefined) return [];
    const counts = countBy(
      events.filter(({ event }) => event === segment.event),
      ({ contactId }) => contactId,
    );
    const should = [...counts]
      .filter(([, count]) => count >= segment.atLeast)
      .map(([contactId]) => contactId);
    const same = should.length === members.length && should.every((id) => members.includes(id));
    return same
      ? []
      : [`the segment ${segment.id} has ${members.length} members, and the events make ${should.length}`];
  });
}
