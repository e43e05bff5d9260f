import type { WorkspaceSnapshot } from 'messaging-automation/server';
import { type Call, callsOf, mayHaveHappened } from '../calls.js';
import { problemsWithTraces, repeated } from './trace.js';

type Contact = WorkspaceSnapshot['contacts'][number];

/** Whether each contact is there, with what was written to it, and none that nobody made or somebody deleted. */
export function problemsWithContacts(
  before: readonly Contact[],
  after: readonly Contact[],
  calls: readonly Call[],
): readonly string[] {
  const written = callsOf(calls, 'write');
  const known = new Set([...before, ...written, ...callsOf(calls, 'message')].map(({ phone }) => phone));
  const holders = new Map<string, number>();
  for (const name of after.flatMap(({ properties }) => Object.keys(properties))) {
    holders.set(name, (holders.get(name) ?? 0) + 1);
  }
  return [
    ...repeated(after, ({ phone }) => phone).map((phone) => `two contacts have the phone ${ending(phone)}`),
    ...after
      .filter(({ phone }) => !known.has(phone))
      .map(({ id }) => `the contact ${id} is there and nobody made it: invented`),
    ...written.flatMap((call) =>
      problemsWithTraces(
        `the property ${call.token}`,
        call.outcome,
        holders.get(call.token) ?? 0,
        mayHaveBeenDeleted(calls, call),
      ),
    ),
    ...callsOf(calls, 'delete_contact')
      .filter(({ outcome, contactId }) => outcome === 'success' && after.some(({ id }) => id === contactId))
      .map(({ contactId }) => `the contact ${contactId} was deleted and is still there`),
  ];
}

/** Whether the contact with this phone may have been deleted after the call began. */
export function mayHaveBeenDeleted(
  calls: readonly Call[],
  { phone, from }: { readonly phone: string; readonly from: number },
): boolean {
  return callsOf(calls, 'delete_contact').some(
    (deletion) =>
      deletion.phone === phone &&
      mayHaveHappened(deletion) &&
      // A deletion of which nobody knows may come at any time.
      (deletion.outcome === 'unknown' || deletion.to > from),
  );
}

/** A phone number as it may be shown. */
function ending(phone: string): string {
  return `…${phone.slice(-4)}`;
}
