import { type Call, callsOf, mayHaveHappened, type Outcome } from '../calls.js';
import type { Evidence } from './evidence.js';

/** A call, by the key that its record has, too. */
interface Asked {
  readonly key: string;
  readonly outcome: Outcome;
  /** Whether something later may have removed the record. */
  readonly mayBeGone?: boolean;
}

/** Checks that each call left its record as its outcome says, that nothing else is there, and that what was deleted is gone. */
export function problemsWithRecords({ before, after, calls, messages }: Evidence): readonly string[] {
  const written = callsOf(calls, 'write');
  const tokens = new Set(written.map(({ token }) => token));
  const subscribed = callsOf(calls, 'subscribe');
  const unsubscribed = callsOf(calls, 'unsubscribe');
  const unsubscribedIds = new Set(unsubscribed.filter(mayHaveHappened).map((call) => call.subscriptionId));
  const deletedIds = new Set([
    ...callsOf(calls, 'delete_contact')
      .filter(succeeded)
      .map(({ contactId }) => contactId),
    ...unsubscribed.filter(succeeded).map(({ subscriptionId }) => subscriptionId),
  ]);
  const knownPhones = new Set(
    [...before.contacts, ...written, ...callsOf(calls, 'message')].map(({ phone }) => phone),
  );
  const keptIds = new Set(after.contacts.map(({ id }) => id));
  const tokenOfCall = (call: Call<'write'> | Call<'track'>): Asked => ({
    key: call.token,
    outcome: call.outcome,
    mayBeGone: mayHaveBeenDeleted(calls, call),
  });
  return [
    ...compare(
      'message',
      callsOf(calls, 'message').map(({ messageId, outcome }) => ({ key: messageId, outcome })),
      messages.map(({ messageId }) => messageId),
    ),
    ...compare(
      'send',
      callsOf(calls, 'send').map(({ token, outcome }) => ({ key: token, outcome })),
      after.sends
        .filter(({ journeyRunId }) => journeyRunId === undefined)
        .map(({ text }) => /\bt\d+\b/.exec(text)?.[0] ?? text),
    ),
    ...compare(
      'event',
      callsOf(calls, 'track').map((call) => ({ ...tokenOfCall(call), key: tracked(call) })),
      after.events.map(({ properties }) => tracked(properties)),
    ),
    ...compare(
      'property',
      written.map(tokenOfCall),
      after.contacts.flatMap(({ properties }) => Object.keys(properties)).filter((name) => tokens.has(name)),
    ),
    ...compare(
      'subscription to',
      subscribed.map(({ url, outcome, created }) => ({
        key: url,
        outcome,
        mayBeGone: created !== undefined && unsubscribedIds.has(created.id),
      })),
      after.subscriptions.map(({ url }) => url),
    ),
    ...repeated(after.contacts, ({ phone }) => `…${phone.slice(-4)}`).map(
      (phone) => `two contacts have ${phone}`,
    ),
    ...[...after.sends, ...after.events]
      .filter(({ id }, index, all) => all.findIndex((each) => each.id === id) < index)
      .map(({ id }) => `the record ${id} is there twice`),
    ...after.contacts
      .filter(({ phone }) => !knownPhones.has(phone))
      .map(({ id }) => `the contact ${id} is there and no call made it: invented`),
    ...before.contacts
      .filter(({ id, phone }) => !keptIds.has(id) && !mayHaveBeenDeleted(calls, { phone, from: 0 }))
      .map(({ id }) => `the contact ${id} is gone and no call deleted it: lost`),
    ...[...after.contacts, ...after.subscriptions]
      .filter(({ id }) => deletedIds.has(id))
      .map(({ id }) => `${id} was deleted and is still there`),
  ];
}

const succeeded = ({ outcome }: Call) => outcome === 'success';

/** What identifies the call of a tracked event, and the text that it must have kept. */
function tracked({ token, note }: Readonly<Record<string, unknown>>): string {
  return `${token} ${JSON.stringify(note)}`;
}

/** A success leaves one record, a refusal none, and a call of unknown outcome one at most. */
function compare(what: string, asked: readonly Asked[], found: readonly string[]): readonly string[] {
  const counts = countBy(found, (key) => key);
  const known = new Set(asked.map(({ key }) => key));
  return [
    ...asked.flatMap(({ key, outcome, mayBeGone }) => {
      const count = counts.get(key) ?? 0;
      const most = outcome === 'success' || outcome === 'unknown' ? 1 : 0;
      const call = `the ${what} ${key} ${outcome === 'success' ? 'succeeded' : `ended as ${outcome}`}`;
      if (outcome === 'success' && count === 0 && !mayBeGone) return [`${call} and has left no trace: lost`];
      return count > most ? [`${call} and has left ${count} traces instead of ${most}: invented`] : [];
    }),
    ...[...counts.keys()]
      .filter((key) => !known.has(key))
      .map((key) => `the ${what} ${key} is there and no call made it: invented`),
  ];
}

/** Whether the contact with this phone may have been deleted after the call began. */
function mayHaveBeenDeleted(
  calls: readonly Call[],
  { phone, from }: { readonly phone: string; readonly from: number },
): boolean {
  return callsOf(calls, 'delete_contact').some(
    // A deletion of unknown outcome may come at any time.
    (deletion) => deletion.phone === phone && mayHaveHappened(deletion) && deletion.to > from,
  );
}

/** How many items each key has. */
export function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** The keys of more than one item. */
export function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly string[] {
  return [...countBy(items, keyOf)].filter(([, count]) => count > 1).map(([key]) => key);
}
