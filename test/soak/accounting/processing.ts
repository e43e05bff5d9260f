import type { WorkspaceSnapshot } from 'messaging-automation/server';
import { journeyWays } from '../scenario.js';
import type { Evidence } from './evidence.js';
import { countBy } from './records.js';

/** Checks that each event was processed once, that each journey run sent what its journey says, and that the quota adds up. */
export function problemsWithProcessing({ before, after, segmentMembers }: Evidence): readonly string[] {
  return [
    ...problemsWithEvents(after),
    ...problemsWithSegments(after, segmentMembers),
    ...problemsWithJourneySends(after),
    ...problemsWithQuota(before, after),
  ];
}

/** Each event starts one run of each journey of its name. */
function problemsWithEvents(state: WorkspaceSnapshot): readonly string[] {
  const { workspace, contacts, events, waitingEventIds, journeyRuns } = state;
  const contactIds = new Set(contacts.map(({ id }) => id));
  const runs = countBy(journeyRuns, ({ eventId, journeyId }) => `${eventId} ${journeyId}`);
  const due = new Set<string>();
  const problems = waitingEventIds.map((id) => `the event ${id} was never processed: lost`);
  for (const { id, event, contactId } of events) {
    if (!contactIds.has(contactId)) problems.push(`the event ${id} is there, and its contact is not`);
    for (const journey of workspace.journeys.filter((each) => each.event === event)) {
      const pair = `${id} ${journey.id}`;
      due.add(pair);
      const count = runs.get(pair) ?? 0;
      if (count !== 1)
        problems.push(`the event ${id} has started ${count} runs of ${journey.id} instead of 1`);
    }
  }
  for (const pair of runs.keys()) {
    if (!due.has(pair)) problems.push(`there is a journey run that nothing started (${pair}): invented`);
  }
  for (const { id, status } of journeyRuns) {
    if (status === 'waiting') problems.push(`the run ${id} waits for nothing`);
  }
  return problems;
}

function problemsWithSegments(
  { workspace, events }: WorkspaceSnapshot,
  segmentMembers: Evidence['segmentMembers'],
): readonly string[] {
  return workspace.segments.flatMap((segment) => {
    const members = segmentMembers[segment.id];
    if (!('event' in segment) || segment.within !== undefined || members === undefined) return [];
    const ofSegment = events.filter(({ event }) => event === segment.event);
    const counts = countBy(ofSegment, ({ contactId }) => contactId);
    const expected = [...counts].flatMap(([id, count]) => (count >= segment.atLeast ? [id] : []));
    if (expected.length === members.length && expected.every((id) => members.includes(id))) return [];
    return [
      `the segment ${segment.id} has ${members.length} members, and the events make ${expected.length}`,
    ];
  });
}

/** The sends of each run are those of a way through its journey: all if it is finished, else the first ones. */
function problemsWithJourneySends({ journeyRuns, contacts, sends }: WorkspaceSnapshot): readonly string[] {
  const runIds = new Set(journeyRuns.map(({ id }) => id));
  const contactIds = new Set(contacts.map(({ id }) => id));
  const problems: string[] = [];
  for (const { journeyRunId, contactId } of sends) {
    if (journeyRunId === undefined || runIds.has(journeyRunId) || !contactIds.has(contactId)) continue;
    problems.push(`there is a send of the run ${journeyRunId}, which is not there although its contact is`);
  }
  for (const { id, journeyId, status } of journeyRuns) {
    const sent = sends.filter((send) => send.journeyRunId === id).map(({ templateId }) => templateId);
    const fits = (journeyWays[journeyId] ?? []).some(
      (way) =>
        sent.every((templateId, index) => way[index] === templateId) &&
        (status === 'finished' ? sent.length === way.length : sent.length < way.length),
    );
    if (!fits) problems.push(`the run ${id} of ${journeyId} is ${status} and has sent [${sent.join(', ')}]`);
  }
  return problems;
}

/** What was taken off the quota is what paid for the sends; rejected ones gave it back. */
function problemsWithQuota(before: WorkspaceSnapshot, after: WorkspaceSnapshot): readonly string[] {
  const spent = [
    ['plan', before.workspace.quota - after.workspace.quota],
    ['add_on', before.workspace.addOnCredits - after.workspace.addOnCredits],
  ] as const;
  return spent.flatMap(([source, amount]) => {
    const paid = after.sends.filter(({ paidBy }) => paidBy === source).length;
    return amount === paid
      ? []
      : [`${amount} were taken off the ${source} quota, which paid for ${paid} sends`];
  });
}
