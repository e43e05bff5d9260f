import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import { factsOf } from '../../contract/webhook-events.js';
import type { ChangeEntry, EntryOf, MessageEntry, RequestEntry } from '../model/journal-entry.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import type { Act } from './acts.js';
import { partsOf, requestOf } from './calls.js';
import { eventDataIn, parsed, textIn } from './code.js';
import { linksOf, type NumberedEntry } from './inspection.js';
import { exampleWebhook, type Receivers, receiversIn } from './receivers.js';

/** What is known around the entries to repeat. */
export interface Surroundings {
  /** The journal, oldest first. */
  readonly journal: readonly NumberedEntry[];
  /** The workspace as it is now. */
  readonly seed: WorkspaceSeed;
  /** The phone of each contact that the workspace has now, by id. */
  readonly phones: ReadonlyMap<string, string>;
  /** The phones of the contacts who have opted out by now. */
  readonly optedOut: ReadonlySet<string>;
}

/** What a program does to repeat entries, and what follows from it. */
export interface Story {
  /** Oldest first. */
  readonly acts: readonly Act[];
  /** What followed, up to the last entry to repeat, oldest first. */
  readonly entries: readonly NumberedEntry[];
  readonly receivers: Receivers;
}

/** The phone of an invented contact. */
const examplePhone = '+15551234567';

/**
 * Finds what led to the entries, and what else followed from that. What changed the workspace in between is a part of a story of several
 * entries.
 *
 * @param omitted - The numbers of the acts that the story leaves out, with what followed from them.
 */
export function storyOf(
  repeated: readonly NumberedEntry[],
  surroundings: Surroundings,
  omitted: ReadonlySet<number> = new Set(),
): Story {
  const { journal } = surroundings;
  const rootOf = rootsIn(journal);
  const roots = new Set([...repeated, ...changesAround(repeated, journal, rootOf)].map(rootOf));
  const last = repeated.at(-1)?.number ?? 0;
  // A frozen clock holds a delayed response forever, so a program repeats a delay only where it is the point.
  const isHeld = repeated.every(isDelay);
  const concerns = deliveriesOf(repeated, journal);
  const isOfStory = (entry: NumberedEntry) =>
    entry.number <= last && roots.has(rootOf(entry)) && concerns(entry) && (isHeld || !isDelay(entry));
  for (const event of earlierEvents(journal.filter(isOfStory), surroundings)) roots.add(rootOf(event));
  for (const root of roots) if (omitted.has(root.number)) roots.delete(root);
  const entries = withoutRedeliveries(journal.filter(isOfStory), omitted);
  const acts = [...roots]
    .map((root) => ({ ...actOf(root, surroundings), number: root.number }))
    .map((act) => (isHeld ? act : withoutDelay(act)));
  const all = [...acts, ...redeliveriesIn(entries)].sort((one, other) => one.number - other.number);
  const receivers = receiversIn(all, entries);
  const prepared = preparing(all, entries, receivers, surroundings);
  return { acts: [...prepared.filter(({ number }) => !omitted.has(number)), ...all], entries, receivers };
}

/** What changed the workspace after what led to the entries, up to the last of them. One entry alone needs none of it. */
function changesAround(
  repeated: readonly NumberedEntry[],
  journal: readonly NumberedEntry[],
  rootOf: (entry: NumberedEntry) => NumberedEntry,
): readonly NumberedEntry[] {
  if (repeated.length < 2) return [];
  const first = Math.min(...repeated.map((entry) => rootOf(entry).number));
  const last = repeated.at(-1)?.number ?? 0;
  return journal.filter(({ type, number }) => type === 'change' && number > first && number < last);
}

/** Returns whether an entry is of a delivery to repeat, or of no delivery. What other receivers got changes nothing. */
function deliveriesOf(
  repeated: readonly NumberedEntry[],
  journal: readonly NumberedEntry[],
): (entry: NumberedEntry) => boolean {
  const streams = new Map<string, string>();
  for (const entry of journal) {
    if (entry.type === 'attempt') streams.set(entry.delivery.id, streamOf(entry.delivery));
  }
  const streamOfEntry = (entry: NumberedEntry) => {
    if (entry.type === 'attempt') return streamOf(entry.delivery);
    return entry.type === 'fault' && 'event' in entry ? (streams.get(entry.deliveryId) ?? '') : undefined;
  };
  const wanted = new Set(repeated.map(streamOfEntry));
  return (entry) => {
    const stream = streamOfEntry(entry);
    return stream === undefined || wanted.has(stream);
  };
}

function streamOf({ event, subscriptionId }: EntryOf<'attempt'>['delivery']): string {
  return `${event} ${subscriptionId}`;
}

/** Whether the entry is a fault that delays the response of a request. */
function isDelay(entry: NumberedEntry): boolean {
  return entry.type === 'fault' && !('event' in entry) && entry.fault.kind === 'latency';
}

/** Returns an act without the delays of its response. Where the client left before the response, a delay is the reason. */
function withoutDelay(act: Act): Act {
  if (act.type !== 'request' || act.faults === undefined || act.status === undefined) return act;
  const { faults, ...request } = act;
  const others = faults.filter(({ kind }) => kind !== 'latency');
  return others.length === 0 ? request : { ...request, faults: others };
}

/** Returns the function that finds the first entry that led to another. */
function rootsIn(journal: readonly NumberedEntry[]): (entry: NumberedEntry) => NumberedEntry {
  const owners = new Map<string, NumberedEntry>();
  for (const entry of journal) {
    for (const name of linksOf(entry).own) if (!owners.has(name)) owners.set(name, entry);
  }
  const rootOf = (entry: NumberedEntry): NumberedEntry => {
    const { own, cause } = linksOf(entry);
    const before = owners.get(cause ?? '') ?? owners.get(own[0] ?? '');
    return before === undefined || before === entry ? entry : rootOf(before);
  };
  return rootOf;
}

/** The events that made the contacts of the story members of segments, which its journeys ask for. */
function earlierEvents(
  entries: readonly NumberedEntry[],
  { journal, seed: { segments = [] } }: Surroundings,
): readonly NumberedEntry[] {
  const events = new Set(segments.flatMap((segment) => ('event' in segment ? [segment.event] : [])));
  const runs = entries.filter((entry) => entry.type === 'journey').map(({ run }) => run);
  return journal.filter(
    (entry) =>
      entry.type === 'event' &&
      events.has(entry.event.event) &&
      runs.some(({ contactId, startedAt }) => contactId === entry.event.contactId && entry.at <= startedAt),
  );
}

/** Returns what a program does for the first entry of a story. Without its cause in the journal, it does what causes such an entry. */
function actOf(root: NumberedEntry, surroundings: Surroundings): RequestEntry | MessageEntry | ChangeEntry {
  const { at } = root;
  switch (root.type) {
    case 'message':
    case 'change':
      return root;
    case 'request':
    case 'send':
    case 'event':
    case 'journey':
      return requestFor(root, surroundings);
    case 'attempt': {
      const data = eventDataIn(root.delivery);
      const body = textIn(data, 'body') ?? textIn(data, 'keyword') ?? wordFor(root.delivery.event);
      return messageOf(textIn(data, 'phone') ?? examplePhone, body, root.delivery.createdAt);
    }
    case 'fault':
      return 'event' in root
        ? messageOf(examplePhone, wordFor(root.event), at)
        : { ...requestOf('templates.list', undefined, at), faults: [root.fault] };
  }
}

/** Returns the request itself, or one that has such an entry as its result. */
export function requestFor(
  entry: EntryOf<'request' | 'send' | 'event' | 'journey'>,
  surroundings: Surroundings,
): RequestEntry {
  switch (entry.type) {
    case 'request':
      return entry;
    case 'send': {
      const { phone, templateId, variables } = entry.send;
      return requestOf('transactional.send', { phone, templateId, variables }, entry.at);
    }
    case 'event': {
      const { event, properties } = entry.event;
      return requestOf('events.track', { phone: entry.phone, event, properties }, entry.at);
    }
    case 'journey': {
      const { journeyId, contactId, eventProperties: properties, startedAt } = entry.run;
      const event = surroundings.seed.journeys?.find(({ id }) => id === journeyId)?.event ?? journeyId;
      const phone = phoneOf(contactId, surroundings) ?? examplePhone;
      return requestOf('events.track', { phone, event, properties }, startedAt);
    }
  }
}

/** Returns a text whose receipt causes an event. */
function wordFor(event: string): string {
  const type = webhookEventTypes.find((each) => each === event);
  return (type && factsOf(type).keyword) ?? 'Hello';
}

function messageOf(phone: string, body: string, at: number): MessageEntry {
  return { type: 'message', at, messageId: '', contactId: '', phone, body };
}

/** The first attempt of each delivery, oldest first. */
export function firstAttemptsIn(
  entries: readonly NumberedEntry[],
): readonly (EntryOf<'attempt'> & { readonly number: number })[] {
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    if (entry.type !== 'attempt' || seen.has(entry.delivery.id)) return [];
    seen.add(entry.delivery.id);
    return [entry];
  });
}

/** The redeliveries that a program asks for. Each comes directly before its first attempt. */
function redeliveriesIn(entries: readonly NumberedEntry[]): readonly Act[] {
  return firstAttemptsIn(entries).flatMap(({ number, delivery }) => {
    const { redeliveryOf: deliveryId, event, subscriptionId, createdAt: at } = delivery;
    if (deliveryId === undefined) return [];
    return [{ type: 'redelivery', number: before(number), at, deliveryId, event, subscriptionId }];
  });
}

function before(number: number): number {
  return number - 0.5;
}

/** Leaves out the redeliveries with these numbers, and what was redelivered of them. */
function withoutRedeliveries(
  entries: readonly NumberedEntry[],
  omitted: ReadonlySet<number>,
): readonly NumberedEntry[] {
  const gone = new Set<string>();
  for (const { number, delivery } of firstAttemptsIn(entries)) {
    if (omitted.has(before(number)) || gone.has(delivery.redeliveryOf ?? '')) gone.add(delivery.id);
  }
  return entries.filter((entry) => entry.type !== 'attempt' || !gone.has(entry.delivery.id));
}

/** What a program does first, because a seed has no consent and no subscriptions of the API, and a limit takes a first request. */
function preparing(
  acts: readonly Act[],
  entries: readonly NumberedEntry[],
  receivers: Receivers,
  surroundings: Surroundings,
): readonly Act[] {
  const [first] = acts;
  if (first === undefined) return [];
  const created = receivers.deletedByApi.map((id) => {
    const events = new Set(
      entries.flatMap((entry) =>
        entry.type === 'attempt' && entry.delivery.subscriptionId === id ? [entry.delivery.event] : [],
      ),
    );
    const url = receivers.urls.get(id) ?? exampleWebhook.url;
    const webhook = { url, events: events.size === 0 ? exampleWebhook.events : [...events] };
    return requestOf('webhooks.create', webhook, first.at);
  });
  const prepared = [
    ...optedOutBefore(acts, entries, surroundings).map((phone) => messageOf(phone, 'STOP', first.at)),
    ...created,
    ...(first.type === 'request' && isLimited(first)
      ? [requestOf('templates.list', undefined, first.at)]
      : []),
  ];
  return prepared.map((act, index) => ({ ...act, number: -index }));
}

/** The phones of the contacts that had opted out before the first act of the story. */
function optedOutBefore(
  acts: readonly Act[],
  entries: readonly NumberedEntry[],
  surroundings: Surroundings,
): readonly string[] {
  const refusals = [
    ...acts.map((act) =>
      act.type === 'request' && isOfOptedOut(act, surroundings)
        ? { number: act.number, phone: phoneIn(act, surroundings) }
        : undefined,
    ),
    ...entries.map((entry) =>
      entry.type === 'journey' && entry.run.error?.includes(optedOut)
        ? { number: entry.number, phone: phoneOf(entry.run.contactId, surroundings) }
        : undefined,
    ),
  ];
  const stops = acts.filter((act) => act.type === 'message' && act.consent === 'opted_out');
  const silent = refusals.flatMap((refusal) => {
    if (refusal?.phone === undefined) return [];
    const { number, phone } = refusal;
    const hasStopped = stops.some(
      (stop) => stop.type === 'message' && stop.phone === phone && stop.number < number,
    );
    return hasStopped ? [] : [phone];
  });
  return [...new Set(silent)];
}

/** A part of the message of an error. */
const optedOut = 'has opted out of messages';

function isOfOptedOut(request: RequestEntry, surroundings: Surroundings): boolean {
  const { operation, status, responseBody: response = '', faults } = request;
  if (operation !== 'transactional.send' || status !== 422 || faults !== undefined) return false;
  const body = parsed(response);
  const message = textIn(
    textIn(body, 'message') === undefined ? Reflect.get(Object(body), 'error') : body,
    'message',
  );
  // Not every deployment says the reason.
  return message === undefined
    ? response.includes(optedOut) || surroundings.optedOut.has(phoneIn(request, surroundings) ?? '')
    : message.includes(optedOut);
}

/** Whether the rate limit of the workspace refused an act. */
export function isLimited({ status, faults }: RequestEntry): boolean {
  return status === 429 && faults === undefined;
}

/** Whether a request named something that did not exist. */
export function isUnknown({ status, faults }: RequestEntry): boolean {
  return (status === 404 || status === 410) && faults === undefined;
}

/** Returns the phone of the contact that a request names. */
export function phoneIn(request: RequestEntry, surroundings: Surroundings): string | undefined {
  const { operation, inPath, query, body = '' } = partsOf(request);
  const given = parsed(body);
  const id = operation.startsWith('contacts.') ? inPath.id : textIn(given, 'contactId');
  return query.phone ?? textIn(given, 'phone') ?? phoneOf(id, surroundings);
}

/** Adds a phone for each contact that a request named by its id, and that the journal tells nothing else of. */
export function withInventedPhones(surroundings: Surroundings): Surroundings {
  const phones = new Map(surroundings.phones);
  for (const entry of surroundings.journal) {
    if (entry.type !== 'request' || !entry.operation.startsWith('contacts.') || isUnknown(entry)) continue;
    const { id } = partsOf(entry).inPath;
    if (id === undefined || phoneOf(id, { ...surroundings, phones }) !== undefined) continue;
    phones.set(id, `+1555${String(phones.size).padStart(7, '0')}`);
  }
  return { ...surroundings, phones };
}

/** Finds the phone of a contact, also of one that was deleted. */
export function phoneOf(id: string | undefined, { phones, journal }: Surroundings): string | undefined {
  if (id === undefined) return undefined;
  const now = phones.get(id);
  if (now !== undefined) return now;
  for (const entry of journal) {
    if (entry.type === 'message' && entry.contactId === id) return entry.phone;
    if (entry.type === 'event' && entry.event.contactId === id) return entry.phone;
    if (entry.type === 'send' && entry.send.contactId === id) return entry.send.phone;
    if (entry.type === 'request' && entry.responseBody?.includes(JSON.stringify(id))) {
      const phone = /"phone":"(\+\d+)"/.exec(entry.responseBody)?.[1];
      if (phone !== undefined) return phone;
    }
  }
  return undefined;
}
