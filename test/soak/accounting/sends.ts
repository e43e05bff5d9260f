import type {
  JourneyRunRecord,
  QuotaSource,
  SendRecord,
  WorkspaceSnapshot,
} from 'messaging-automation/server';
import { type Call, callsOf } from '../calls.js';
import { problemsWithTraces, repeated } from './trace.js';

/** The word in the text of each send by which its call is known. */
export const sendToken = /\bt\d+\b/;

/** Whether each send of the API's was made once, and each of a journey's by its run. */
export function problemsWithApiSends(
  sends: readonly SendRecord[],
  calls: readonly Call[],
): readonly string[] {
  const ofApi = sends.filter(({ journeyRunId }) => journeyRunId === undefined);
  const counts = new Map<string, number>();
  for (const { text } of ofApi) {
    const token = sendToken.exec(text)?.[0] ?? text;
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  const asked = callsOf(calls, 'send');
  const known = new Set(asked.map(({ token }) => token));
  return [
    ...repeated(sends, ({ id }) => id).map((id) => `the send ${id} is there twice`),
    ...asked.flatMap(({ token, outcome }) =>
      problemsWithTraces(`the send ${token}`, outcome, counts.get(token) ?? 0),
    ),
    ...[...counts.keys()]
      .filter((token) => !known.has(token))
      .map((token) => `the send ${token} is there and nobody asked for it: invented`),
  ];
}

/** The arithmetic of the quota: what was taken off it is what paid for the sends there are; rejected ones gave it back. */
export function problemsWithQuota(before: WorkspaceSnapshot, after: WorkspaceSnapshot): readonly string[] {
  const old = new Set(before.sends.map(({ id }) => id));
  const fresh = after.sends.filter(({ id }) => !old.has(id));
  const spent: readonly (readonly [QuotaSource, number])[] = [
    ['plan', before.workspace.quota - after.workspace.quota],
    ['add_on', before.workspace.addOnCredits - after.workspace.addOnCredits],
  ];
  return spent.flatMap(([source, amount]) => {
    const paid = fresh.filter(({ paidBy }) => paidBy === source).length;
    return amount === paid
      ? []
      : [`${amount} were taken off the ${source} quota, which paid for ${paid} sends`];
  });
}

/**
 * Whether the sends of each run are those of a way through its journey: all of them where it has finished, else the
 * first ones.
 *
 * @param ways - For each journey, the templates of every way through it.
 */
export function problemsWithJourneySends(
  { journeyRuns, contacts, sends }: Pick<WorkspaceSnapshot, 'journeyRuns' | 'contacts' | 'sends'>,
  ways: Readonly<Record<string, readonly (readonly string[])[]>>,
): readonly string[] {
  const templates = new Map<string, string[]>();
  const gone = new Set<string>();
  const runs = new Map(journeyRuns.map((run) => [run.id, run]));
  const there = new Set(contacts.map(({ id }) => id));
  for (const { journeyRunId, templateId, contactId } of sends) {
    if (journeyRunId === undefined) continue;
    if (!runs.has(journeyRunId) && there.has(contactId)) gone.add(journeyRunId);
    templates.set(journeyRunId, [...(templates.get(journeyRunId) ?? []), templateId]);
  }
  return [
    ...[...gone].map(
      (id) => `there are sends of the journey run ${id}, which is not there though its contact is`,
    ),
    ...journeyRuns.flatMap((run) =>
      problemsWithRun(run, templates.get(run.id) ?? [], ways[run.journeyId] ?? []),
    ),
  ];
}

function problemsWithRun(
  { id, journeyId, status }: JourneyRunRecord,
  sent: readonly string[],
  ways: readonly (readonly string[])[],
): readonly string[] {
  const fits = ways.some(
    (way) =>
      sent.every((templateId, index) => way[index] === templateId) &&
      (status === 'finished' ? sent.length === way.length : sent.length < way.length),
  );
  return fits ? [] : [`the run ${id} of ${journeyId} is ${status} and has sent [${sent.join(', ')}]`];
}
