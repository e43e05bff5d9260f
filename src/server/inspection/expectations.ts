import type {
  ChangeEntry,
  EntryOf,
  JournalEntry,
  MessageEntry,
  RequestEntry,
} from '../model/journal-entry.js';
import type { Act } from './acts.js';
import type { NumberedEntry } from './inspection.js';
import { comesByItself, type FindStep } from './steps.js';
import type { Story } from './story.js';

/** What a script expects in the journal. */
export interface Expectation {
  readonly name: string;
  readonly type: JournalEntry['type'];
  /** What selects the entries: the fields that they have. Undefined for all of the type. */
  readonly where?: object;
  /** Finds an id that `where` has. */
  readonly find?: FindStep;
  /** The fields of the entries, in their order. */
  readonly entries: readonly object[];
  /** Whether nothing else may follow. More attempts and steps can follow, which are not a part of the story. */
  readonly isAll: boolean;
  /** Whether a run has shown that it does not hold. */
  readonly isLeftOut?: boolean;
}

type Expected = NumberedEntry | (Act & (RequestEntry | MessageEntry | ChangeEntry));

/** Returns what a story expects: the entries of each type, after what happened before them in the same story. */
export function expectationsOf(repeated: readonly NumberedEntry[], story: Story): readonly Expectation[] {
  const types = [...new Set(repeated.map(({ type }) => type))];
  return types.flatMap((type) => {
    const expected = expectedOf(type, story).filter((each) => each.type === type);
    const streams = new Map<string, { readonly stream: Stream; readonly entries: Expected[] }>();
    for (const each of expected) {
      const stream = streamOf(each, story);
      const name = `${type} ${JSON.stringify(stream.where)}`;
      const known = streams.get(name) ?? { stream, entries: [] };
      streams.set(name, known);
      known.entries.push(each);
    }
    return [...streams].map(
      ([
        name,
        {
          stream: { where, find },
          entries,
        },
      ]) => ({
        name,
        type,
        ...((streams.size > 1 || type === 'change') && where && { where, ...(find && { find }) }),
        entries: entries.map((each) => fieldsOf(each, story)),
        isAll: ['request', 'message', 'event', 'change'].includes(type),
      }),
    );
  });
}

function expectedOf(type: JournalEntry['type'], { acts, entries }: Story): readonly Expected[] {
  if (type !== 'request' && type !== 'message' && type !== 'change') return entries;
  return acts.flatMap((act) => {
    if (act.type === 'redelivery') return [];
    const isRepeated =
      act.type !== 'change' ||
      acts.length === 1 ||
      !(comesByItself(act.operation) || act.operation.startsWith('keys.'));
    return isRepeated && !(act.type === 'change' && act.arguments === undefined) ? [act] : [];
  });
}

/** Entries whose order says something. Streams have no order among each other. */
interface Stream {
  readonly where?: object;
  readonly find?: FindStep;
}

function streamOf(entry: Expected, story: Story): Stream {
  switch (entry.type) {
    case 'attempt': {
      const { event } = entry.delivery;
      return { where: { delivery: { event, url: urlOf(entry, story) } } };
    }
    case 'send':
      return { where: { send: { phone: entry.send.phone } } };
    case 'journey': {
      const { journeyId, eventId } = entry.run;
      return { where: { run: { journeyId, eventId } }, ...findEvent(eventId, story) };
    }
    case 'fault':
      return {
        where:
          'event' in entry
            ? { event: entry.event, fault: { kind: entry.fault.kind } }
            : { operation: entry.operation },
      };
    case 'change':
      return { where: { operation: callOfChange(entry) } };
    default:
      return {};
  }
}

/** Finds the event that began a run by its place among the events of the story. */
function findEvent(id: string, { acts, entries }: Story): Pick<Stream, 'find'> {
  const events = acts.flatMap((act) => eventOf(act, entries) ?? []);
  const index = events.indexOf(id);
  if (index === -1) return {};
  const name = `eventId${index === 0 ? '' : index + 1}`;
  return { find: { kind: 'find', id, name, place: { of: 'event', index } } };
}

/** The id of the event that an act tracks. */
function eventOf(act: Act, entries: readonly NumberedEntry[]): string | undefined {
  if (act.type !== 'request' || act.operation !== 'events.track') return undefined;
  for (const entry of entries) {
    if (entry.type === 'event' && (entry.requestId === act.requestId || entry.number === act.number))
      return entry.event.id;
    if (entry.type === 'journey' && entry.number === act.number) return entry.run.eventId;
  }
  return undefined;
}

/** The call that repeats a change in a program. */
function callOfChange({ operation }: ChangeEntry): string {
  if (operation === 'listeners.create') return 'managedWebhooks.create';
  return operation === 'listeners.remove' ? 'subscriptions.remove' : operation;
}

function urlOf({ delivery }: EntryOf<'attempt'>, { receivers }: Story): string {
  return receivers.urls.get(delivery.subscriptionId) ?? delivery.url;
}

/** What a script expects of an entry: all but ids and times. */
function fieldsOf(entry: Expected, story: Story): object {
  switch (entry.type) {
    case 'request': {
      const { operation, status } = entry;
      return { operation, ...(status !== undefined && { status }) };
    }
    case 'send': {
      const { phone, templateId, text } = entry.send;
      return { send: { phone, templateId, text } };
    }
    case 'event': {
      const { event, properties } = entry.event;
      return { phone: entry.phone, event: { event, properties } };
    }
    case 'message': {
      const { phone, body, consent } = entry;
      return { phone, body, ...(consent && { consent }) };
    }
    case 'attempt': {
      const { event, status } = entry.delivery;
      const { number, status: received, error, responseInterrupted } = entry.attempt;
      const isWhole = received !== undefined && received <= 599 && responseInterrupted === undefined;
      const outcome = isWhole ? { status: received } : { error };
      return { delivery: { event, url: urlOf(entry, story), status }, attempt: { number, ...outcome } };
    }
    case 'journey': {
      const { journeyId, status, position, error } = entry.run;
      return { run: { journeyId, status, position, ...(error !== undefined && { error }) } };
    }
    case 'change':
      return { operation: callOfChange(entry) };
    case 'fault':
      return 'event' in entry
        ? { event: entry.event, fault: entry.fault }
        : { operation: entry.operation, fault: entry.fault };
  }
}

/** The send of an expectation, if the story has no other, so that its order says nothing. */
export function sendAlone(
  { type, entries }: Expectation,
  all: readonly Expectation[],
): { readonly phone: string; readonly templateId: string; readonly text: string } | undefined {
  const [only] = entries;
  if (type !== 'send' || entries.length > 1 || all.filter((each) => each.type === 'send').length > 1)
    return undefined;
  return Object(only).send;
}
