import { maskPhone } from '../../../contract/phone.js';
import { doYouMean } from '../../../foundation/near-name.js';
import { eventDataIn, parsed, textIn } from '../../inspection/code.js';
import type { JournalEntry, RequestEntry } from '../../model/journal-entry.js';
import type { ContactRecord, JourneyRunRecord } from '../../model/records.js';
import { inLargestUnit } from '../../time/duration.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import { shown } from '../wait.js';
import type { Expected, Happening, Kind } from './kinds.js';

/** How many lines each part of an error has. */
const linesShown = 5;

/**
 * Returns the message of a wait that timed out: what the contact had instead, what others had, what was rejected, and what
 * still waits.
 *
 * @param differences - Describes why one of the same contact and name is not as expected.
 */
export async function explainMisses(
  live: LiveWorkspace,
  kind: Kind,
  expected: Expected,
  limit: number,
  differences: (happening: Happening) => readonly string[],
): Promise<string> {
  const { noun, preposition } = kind;
  const entries = live.history.entries();
  const happenings = entries.flatMap((entry) => kind.select(entry) ?? []);
  const own = happenings.filter(({ phone }) => phone === expected.phone);
  const ofOthers = happenings.filter(({ phone, name }) => phone !== expected.phone && name === expected.name);
  const { contact, problems } = await surroundingsOf(live, kind, expected);
  const runs = latestRuns(entries).filter(({ contactId }) => contactId === contact?.id);
  return [
    `There was no ${noun} ${inWords(kind, expected)} ${preposition} ${maskPhone(expected.phone)} within ${limit} ms.`,
    ...problems,
    ...part(
      `${capital(noun)}s ${preposition} this contact`,
      own.map((each) => describeOwn(each, expected, differences)),
    ),
    ...part(
      `${capital(noun)}s ${shown(expected.title)} ${preposition} other contacts`,
      ofOthers.map(({ phone, at }) => `${maskPhone(phone)} at ${time(at)}`),
    ),
    ...part('Failed requests', rejectedIn(entries, kind, expected, contact)),
    ...part('Failed deliveries of this contact', undeliveredTo(entries, expected.phone)),
    ...part('Failed journeys of this contact', runs.flatMap(failure)),
    ...waitingWork(live, runs),
  ].join('\n');
}

/** Returns the message about messages that a contact was to receive nothing of. */
export function explainUnexpected(
  phone: string,
  messages: readonly { readonly template: string; readonly text: string; readonly at: number }[],
): string {
  const lines = messages.map(
    ({ template, text, at }) => `${shown(template)} at ${time(at)}: ${cut(shown(text))}`,
  );
  return [
    ...part(`${maskPhone(phone)} received messages that receives() has not taken`, lines),
    'If a message is expected, take it with receives() first.',
  ].join('\n');
}

/** Returns a part of the message, with its newest lines. Nothing without lines. */
function part(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const heading =
    lines.length > linesShown ? `${title}, the last ${linesShown} of ${lines.length}:` : `${title}:`;
  return [heading, ...lines.slice(-linesShown).map((line) => `  - ${line}`)];
}

/** Describes what a test expects: the name, and the values and text that it must have. */
function inWords({ value: noun }: Kind, { title, name, values, text }: Expected): string {
  const wanted = [
    ...values.map(({ label, value }) => `${noun} ${label} ${shown(value)}`),
    ...(text === undefined ? [] : [`text ${shown(text)}`]),
  ];
  const known = title === name ? shown(title) : `${shown(title)} (${shown(name)})`;
  return wanted.length === 0 ? known : `${known} with ${wanted.join(' and ')}`;
}

function describeOwn(
  happening: Happening,
  { name: wanted, title }: Expected,
  differences: (happening: Happening) => readonly string[],
): string {
  const { name, text, at } = happening;
  const isWanted = name === wanted;
  const detail = isWanted ? differences(happening).join('; ') : cut(text === undefined ? '' : shown(text));
  return `${shown(isWanted ? title : name)} at ${time(at)}${detail === '' ? '' : `: ${detail}`}`;
}

/** What the store knows: the contact, and why it or the name may be wrong. */
async function surroundingsOf(
  { context: { store } }: LiveWorkspace,
  { operation }: Kind,
  { phone, name }: Expected,
): Promise<{ readonly contact: ContactRecord | undefined; readonly problems: readonly string[] }> {
  try {
    const contact = await store.contacts.findByPhone(phone);
    const templates = operation === 'transactional.send' ? await store.templates.list() : undefined;
    const ids = templates?.map(({ id }) => id);
    return {
      contact,
      problems: [
        ...(contact === undefined ? ['No contact of this workspace has this phone.'] : []),
        ...(ids === undefined || ids.includes(name)
          ? []
          : [`No template of this workspace has the id ${shown(name)}${doYouMean(name, ids)}.`]),
      ],
    };
  } catch {
    // Without its database, the server still knows what the journal has.
    return { contact: undefined, problems: [] };
  }
}

/** Describes the failed requests that name the contact, or the template or event. */
function rejectedIn(
  entries: readonly JournalEntry[],
  { operation, nameField }: Kind,
  { phone, name }: Expected,
  contact: ContactRecord | undefined,
): readonly string[] {
  const requests = entries.filter(
    (entry): entry is RequestEntry => entry.type === 'request' && entry.operation === operation,
  );
  return requests.flatMap((request) => {
    const body = request.body && parsed(new TextDecoder().decode(request.body));
    const [named, to, id] = [nameField, 'phone', 'contactId'].map((field) => textIn(body, field));
    const isOfContact = to === phone || (id !== undefined && id === contact?.id);
    const { status, at } = request;
    const hasFailed = status === undefined || status >= 400;
    if (!hasFailed || !(isOfContact || named === name)) return [];
    const receiver = isOfContact || to === undefined ? '' : ` to ${maskPhone(to)}`;
    return `${shown(named)}${receiver} at ${time(at)}: ${outcomeOf(request)}`;
  });
}

/** Describes how a request failed. */
function outcomeOf({ status, responseBody = '', faults = [] }: RequestEntry): string {
  const injected = faults.map(({ kind }) => kind).join(', ');
  const cause = injected === '' ? '' : ` (injected fault: ${injected})`;
  if (status === undefined) return `no response${cause}`;
  const body = parsed(responseBody);
  const message = textIn(Reflect.get(Object(body), 'error'), 'message') ?? textIn(body, 'message');
  return `${status}${cause} ${cut(message ?? responseBody)}`.trimEnd();
}

/** Describes the last attempt of each delivery that names the contact and has not arrived: its receiver could not act on it. */
function undeliveredTo(entries: readonly JournalEntry[], phone: string): readonly string[] {
  const attempts = entries.flatMap((entry) => (entry.type === 'attempt' ? entry : []));
  const latest = new Map(attempts.map((entry) => [entry.delivery.id, entry]));
  return [...latest.values()].flatMap(({ delivery, attempt, at }) => {
    if (delivery.status === 'delivered' || textIn(eventDataIn(delivery), 'phone') !== phone) return [];
    const why = attempt.error ?? `the receiver responded with ${attempt.status}`;
    return `${delivery.event} at ${time(at)}: ${why}`;
  });
}

/** Returns the latest state of each journey run in the journal. */
function latestRuns(entries: readonly JournalEntry[]): readonly JourneyRunRecord[] {
  const runs = entries.flatMap((entry) => (entry.type === 'journey' ? entry.run : []));
  return [...new Map(runs.map((run) => [run.id, run])).values()];
}

function failure({ journeyId, status, dueAt, error = '' }: JourneyRunRecord): readonly string[] {
  return status === 'failed' ? [`${shown(journeyId)} at ${time(dueAt)}: ${error}`] : [];
}

/** Describes the work that only happens later by the workspace's clock, and how to get there. */
function waitingWork({ clock }: LiveWorkspace, runs: readonly JourneyRunRecord[]): readonly string[] {
  const now = Math.round(clock.now());
  const waiting = runs.filter(({ status }) => status === 'waiting');
  const [next] = waiting.toSorted((one, other) => one.dueAt - other.dueAt);
  const due = next?.dueAt ?? clock.next;
  if (due === undefined || due <= now) return [];
  const what =
    next === undefined ? 'Work of this workspace' : `The journey ${shown(next.journeyId)} of this contact`;
  const state = clock.isFrozen ? 'the clock is frozen at' : 'it is now';
  const move = `clock.advance('${inLargestUnit(due - now)}')`;
  return [
    `${what} continues at ${time(due)}, and ${state} ${time(now)}. Call ${move} before you wait, or during the wait.`,
  ];
}

function time(at: number): string {
  return new Date(at).toISOString();
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
