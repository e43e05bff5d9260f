import { operationNames } from '../../contract/operation-name.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { factsOf } from '../../contract/webhook-events.js';
import type { FaultRule } from '../model/fault.js';
import type { EntryOf, MessageEntry, RequestEntry } from '../model/journal-entry.js';
import { receiverUrl } from '../model/listener.js';
import { isBuiltInReceiver } from '../model/receiver.js';
import type { TemplateSeed, WorkspaceSeed } from '../seed/workspace-seed.js';
import type { ManagedWebhookSeed } from '../service/subscriptions.js';
import { partsOf, requestOf } from './calls.js';
import { eventDataIn, parsed, textIn } from './code.js';
import { linksOf, type NumberedEntry } from './inspection.js';

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

/** A request, a message of a contact, or a redelivery: what a program does itself. Everything else follows from it. */
export type Act = RequestEntry | MessageEntry | Redelivery;

export interface Redelivery {
  readonly type: 'redelivery';
  readonly at: number;
  /** Which delivery of the story is sent again: 0 for the first. */
  readonly index: number;
}

/** What a program does to repeat entries, and what follows from it. */
export interface Story {
  /** Oldest first. */
  readonly acts: readonly Act[];
  /** What followed, up to the last entry to repeat, oldest first. */
  readonly entries: readonly NumberedEntry[];
}

/** The phone of an invented contact. */
const examplePhone = '+15551234567';

/** Finds what led to the entries, and what else followed from that. */
export function storyOf(repeated: readonly NumberedEntry[], surroundings: Surroundings): Story {
  const { journal } = surroundings;
  const rootOf = rootsIn(journal);
  const roots = new Set(repeated.map(rootOf));
  const last = repeated.at(-1)?.number ?? 0;
  // A frozen clock holds a delayed response forever, so a program repeats a delay only where it is the point.
  const isHeld = repeated.every(isDelay);
  const concerns = deliveriesOf(repeated, journal);
  const isOfStory = (entry: NumberedEntry) =>
    entry.number <= last && roots.has(rootOf(entry)) && concerns(entry) && (isHeld || !isDelay(entry));
  for (const event of earlierEvents(journal.filter(isOfStory), surroundings)) roots.add(rootOf(event));
  const entries = journal.filter(isOfStory);
  const acts = [...roots]
    .sort((one, other) => one.number - other.number)
    .map((root) => actOf(root, surroundings))
    .map((act) => (isHeld ? act : withoutDelay(act)));
  const all = [...acts, ...redeliveriesIn(entries)].sort((one, other) => one.at - other.at);
  return { acts: [...preparing(all, entries, surroundings), ...all], entries };
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
function actOf(root: NumberedEntry, surroundings: Surroundings): Act {
  const { at } = root;
  switch (root.type) {
    case 'message':
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

/** The deliveries of the story, oldest first. */
function deliveriesIn(entries: readonly NumberedEntry[]): readonly EntryOf<'attempt'>['delivery'][] {
  const attempts = entries.filter((entry) => entry.type === 'attempt');
  const byId = new Map(attempts.map(({ delivery }) => [delivery.id, delivery]));
  return [...byId.values()].sort((one, other) => one.createdAt - other.createdAt);
}

function redeliveriesIn(entries: readonly NumberedEntry[]): readonly Redelivery[] {
  const deliveries = deliveriesIn(entries);
  return deliveries.flatMap(({ redeliveryOf, createdAt }) => {
    const index = deliveries.findIndex(({ id }) => id === redeliveryOf);
    return index === -1 ? [] : [{ type: 'redelivery', at: createdAt, index }];
  });
}

/** What a program does first, because a seed has no consent and no subscriptions of the API, and a limit takes a first request. */
function preparing(
  acts: readonly Act[],
  entries: readonly NumberedEntry[],
  surroundings: Surroundings,
): readonly Act[] {
  const requests = acts.filter((act) => act.type === 'request');
  const [first] = acts;
  if (first === undefined) return [];
  const refused = new Set([
    ...requests.filter((act) => isOfOptedOut(act, surroundings)).map((act) => phoneIn(act, surroundings)),
    ...entries.flatMap((entry) =>
      entry.type === 'journey' && entry.run.error?.includes(optedOut)
        ? [phoneOf(entry.run.contactId, surroundings)]
        : [],
    ),
  ]);
  const writing = acts.flatMap((act) =>
    act.type === 'message' && act.consent === 'opted_out' ? [act.phone] : [],
  );
  const silent = [...refused].filter((phone) => phone !== undefined && !writing.includes(phone));
  const unknown = requests.filter((act) => {
    const { operation, inPath } = partsOf(act);
    const isCreated = requests.some(({ responseBody: response }) =>
      response?.includes(JSON.stringify(inPath.id)),
    );
    return operation === 'webhooks.delete' && !isUnknown(act) && !isCreated;
  });
  return [
    ...silent.map((phone) => messageOf(phone ?? '', 'STOP', first.at)),
    ...unknown.map(() => requestOf('webhooks.create', exampleWebhook, first.at)),
    ...(isLimited(first) ? [requestOf('templates.list', undefined, first.at)] : []),
  ];
}

export const exampleWebhook = { url: 'https://example.com/hooks', events: ['message.received'] } as const;

/** A part of the message of an error. */
const optedOut = 'has opted out of messages';

function isOfOptedOut(request: RequestEntry, surroundings: Surroundings): boolean {
  const { operation, status, responseBody: response = '', faults } = request;
  if (operation !== 'transactional.send' || status !== 422 || faults !== undefined) return false;
  return response.includes(optedOut) || surroundings.optedOut.has(phoneIn(request, surroundings) ?? '');
}

/** Whether the rate limit of the workspace refused an act. */
function isLimited(act: Act): boolean {
  return act.type === 'request' && act.status === 429 && act.faults === undefined;
}

/** Whether a request named something that did not exist. */
export function isUnknown({ status, faults }: RequestEntry): boolean {
  return (status === 404 || status === 410) && faults === undefined;
}

/** Returns the phone of the contact that a request names. */
function phoneIn(request: RequestEntry, surroundings: Surroundings): string | undefined {
  const { operation, inPath, query, body = '' } = partsOf(request);
  const given = parsed(body);
  const id = operation.startsWith('contacts.') ? inPath.id : textIn(given, 'contactId');
  return query.phone ?? textIn(given, 'phone') ?? phoneOf(id, surroundings);
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

/** The workspace before a story: only what the story uses. */
export function worldOf(story: Story, surroundings: Surroundings): WorkspaceSeed {
  const { seed } = surroundings;
  const requests = story.acts.filter((act) => act.type === 'request');
  const started = story.entries.flatMap((entry) => (entry.type === 'journey' ? [entry.run.journeyId] : []));
  const journeys = seed.journeys?.filter(({ id }) => started.includes(id)) ?? [];
  const segments = valuesOf('segment', journeys);
  const { rateLimit: _, ...specGaps } = seed.specGaps ?? {};
  const rateLimit = rateLimitOf(requests, seed);
  const world: WorkspaceSeed = {
    clock: 'frozen',
    now: new Date(story.acts[0]?.at ?? 0).toISOString(),
    quota: quotaOf(story),
    contacts: contactsOf(requests, surroundings, journeys.length > 0),
    templates: templatesOf(requests, valuesOf('send', journeys), story, seed),
    segments: seed.segments?.filter(({ id }) => segments.includes(id)),
    journeys,
    managedWebhooks: webhooksOf(story, requests),
    faults: [...requestFaultsOf(requests), ...deliveryFaultsOf(story)],
    randomSeed: seed.randomSeed,
    specGaps: { ...specGaps, ...rateLimit },
  };
  return Object.fromEntries(Object.entries(world).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && Object.keys(Object(value)).length === 0);
}

/** The values of the fields with a name, however deep. */
function valuesOf(name: string, within: unknown): readonly unknown[] {
  if (typeof within !== 'object' || within === null) return [];
  return Object.entries(within).flatMap(([each, value]) =>
    each === name && typeof value === 'string' ? [value] : valuesOf(name, value),
  );
}

/** How many sends were left: those that succeeded before the first that was refused. Undefined if none was refused. */
function quotaOf({ acts, entries }: Story): number | undefined {
  const isRefusal = (entry: Act | Story['entries'][number]) =>
    (entry.type === 'request' && entry.status === 402 && entry.faults === undefined) ||
    (entry.type === 'journey' && entry.run.error?.includes('quota') === true);
  const refused = [...acts, ...entries].filter(isRefusal).map(({ at }) => at);
  if (refused.length === 0) return undefined;
  const first = Math.min(...refused);
  return entries.filter((entry) => entry.type === 'send' && entry.at <= first).length;
}

function rateLimitOf(requests: readonly RequestEntry[], { specGaps }: WorkspaceSeed) {
  const admitted = requests.findIndex(isLimited);
  if (admitted === -1) return undefined;
  const limit = specGaps?.rateLimit ?? 'off';
  return { rateLimit: { requests: admitted, per: limit === 'off' ? ('1m' as const) : limit.per } };
}

/** The contacts that the requests name, without those that did not exist before the first of these requests. Only journeys use properties. */
function contactsOf(
  requests: readonly RequestEntry[],
  surroundings: Surroundings,
  useProperties: boolean,
): WorkspaceSeed['contacts'] {
  const known = new Map<string, boolean>();
  for (const request of requests) {
    const phone = phoneIn(request, surroundings);
    if (phone !== undefined && !known.has(phone)) known.set(phone, !meetsNoContact(request));
  }
  const named = [...known].flatMap(([phone, isKnown]) => (isKnown ? [phone] : []));
  return named
    .filter((phone) => /^\+\d{7,15}$/.test(phone))
    .map((phone) => {
      const contact = surroundings.seed.contacts?.find((each) => each.phone === phone);
      return useProperties && contact !== undefined ? contact : { phone };
    });
}

function meetsNoContact(request: RequestEntry): boolean {
  if (request.operation === 'contacts.upsert') return request.status !== 200;
  return isUnknown(request) && !isOfUnknownTemplate(request);
}

/** Whether a send was refused because its template was unknown. */
function isOfUnknownTemplate({ responseBody: response = '' }: RequestEntry): boolean {
  return response.includes('No template has the id') || response.includes('template_not_found');
}

function templatesOf(
  requests: readonly RequestEntry[],
  ofJourneys: readonly unknown[],
  { entries }: Story,
  seed: WorkspaceSeed,
): readonly TemplateSeed[] {
  const sends = requests.filter(({ operation }) => operation === 'transactional.send');
  const idOf = (send: RequestEntry) => textIn(parsed(partsOf(send).body ?? ''), 'templateId');
  const unknown = sends.filter(isOfUnknownTemplate).map(idOf);
  const used = [...sends.map(idOf), ...ofJourneys];
  const templates = seed.templates?.filter(({ id }) => used.includes(id) && !unknown.includes(id)) ?? [];
  return templates.map(({ status = 'approved', ...template }) => {
    const responses = sends
      .filter((send) => idOf(send) === template.id)
      .map(({ responseBody: response = '' }) => response);
    const refusedAs = (['pending', 'rejected', 'paused'] as const).find((each) =>
      responses.some((response) => response.includes(`is ${each}, not approved`)),
    );
    const isSent = entries.some((entry) => entry.type === 'send' && entry.send.templateId === template.id);
    const before = refusedAs ?? (isSent ? 'approved' : status);
    return before === 'approved' ? template : { ...template, status: before };
  });
}

/** The URL of the receiver in the world of a story. The built-in receiver exists only in a server that serves the workbench. */
export function urlIn({ url }: { readonly url: string }): string {
  return isBuiltInReceiver(url) ? 'https://receiver.example/' : receiverUrl(url);
}

function webhooksOf({ entries }: Story, requests: readonly RequestEntry[]): readonly ManagedWebhookSeed[] {
  const created = requests.filter(({ operation }) => operation === 'webhooks.create');
  const urlsOfApi = created.map((request) => textIn(parsed(partsOf(request).body ?? ''), 'url'));
  const events = new Map<string, Set<WebhookEventType>>();
  for (const delivery of deliveriesIn(entries)) {
    const url = urlIn(delivery);
    if (!urlsOfApi.includes(url)) events.set(url, (events.get(url) ?? new Set()).add(delivery.event));
  }
  // The attempt that a fault of a delivery holds back is not in the journal yet.
  const held = entries.flatMap((entry) => (entry.type === 'fault' && 'event' in entry ? [entry.event] : []));
  if (events.size === 0 && held.length > 0) events.set(exampleWebhook.url, new Set(held));
  return [...events].map(([url, ofUrl]) => ({ url, events: [...ofUrl] }));
}

/** What the receivers of a story response, by URL and in turn: a status, or the error of the connection. */
export function responsesIn({ entries }: Story): ReadonlyMap<string, readonly (number | string)[]> {
  const responses = new Map<string, (number | string)[]>();
  for (const entry of entries) {
    if (entry.type !== 'attempt') continue;
    const url = urlIn(entry.delivery);
    const given = [...(responses.get(url) ?? []), ...responsesOf(entry)];
    if (given.length > 0) responses.set(url, given);
  }
  return responses;
}

function responsesOf({ attempt }: EntryOf<'attempt'>): readonly (number | string)[] {
  const { faults = [], status, error = 'no response', responseInterrupted, machineTime } = attempt;
  // A fault replaced the request.
  if (machineTime === undefined) return [];
  if (faults.some((fault) => 'when' in fault && fault.when === 'after_receipt')) return [200];
  const isWhole = status !== undefined && status >= 200 && status <= 599 && responseInterrupted === undefined;
  const response = isWhole ? status : error;
  return faults.some(({ kind }) => kind === 'duplicate') ? [response, response] : [response];
}

/** The rules that repeat the faults of the requests of a story, each at its own request. */
function requestFaultsOf(requests: readonly RequestEntry[]): readonly FaultRule[] {
  const seen = new Map<string, number>();
  return requests.flatMap(({ operation, faults = [] }) => {
    const nth = (seen.get(operation) ?? 0) + 1;
    seen.set(operation, nth);
    const name = operationNames.find((each) => each === operation);
    return name === undefined ? [] : faults.map((fault) => ({ operation: name, nth, fault }));
  });
}

/** The rules that repeat the faults of the attempts of a story. An attempt that a fault still holds is not in the journal. */
function deliveryFaultsOf({ entries }: Story): readonly FaultRule[] {
  const attempts = entries.filter((entry) => entry.type === 'attempt');
  const nthOf = (event: WebhookEventType, before: number) =>
    attempts.filter(({ delivery, number }) => delivery.event === event && number < before).length + 1;
  return entries.flatMap((entry) => {
    if (entry.type !== 'fault' || !('event' in entry)) return [];
    const { event, deliveryId, fault, number } = entry;
    const own = attempts.find((attempt) => attempt.delivery.id === deliveryId && attempt.number > number);
    return [{ delivery: event, nth: nthOf(event, own?.number ?? Number.POSITIVE_INFINITY), fault }];
  });
}
