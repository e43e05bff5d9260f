import * as z from 'zod/mini';
import { operationNames } from '../../contract/operation-name.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { checkRule } from '../faults/fault-schemas.js';
import type { FaultRule } from '../model/fault.js';
import type { EntryOf, RequestEntry } from '../model/journal-entry.js';
import type { TemplateSeed, WorkspaceSeed } from '../seed/workspace-seed.js';
import type { ManagedWebhookSeed } from '../service/subscriptions.js';
import { type Act, firstOf } from './acts.js';
import { partsOf } from './calls.js';
import { parsed, textIn } from './code.js';
import { exampleWebhook } from './receivers.js';
import { idOfChanged, type NumberedChange, seedBefore, validated } from './seed-before.js';
import { firstAttemptsIn, isLimited, isUnknown, phoneIn, type Story, type Surroundings } from './story.js';

/** The workspace before a story: only what the story uses. */
export function worldOf(story: Story, surroundings: Surroundings): WorkspaceSeed {
  const opening = { ...story, acts: openingOf(story.acts) };
  const requests = opening.acts.filter((act) => act.type === 'request');
  const changes = story.acts.filter((act) => act.type === 'change');
  const seed = seedBefore(surroundings.seed, changes);
  const started = story.entries.flatMap((entry) => (entry.type === 'journey' ? [entry.run.journeyId] : []));
  const named = changes.map(idOfChanged);
  const journeys = seed.journeys?.filter(({ id }) => started.includes(id) || named.includes(id)) ?? [];
  const put = changes.filter(({ operation }) => operation === 'journeys.put').map(firstOf);
  const segments = valuesOf('segment', [journeys, put]);
  const { rateLimit: _, ...specGaps } = seed.specGaps ?? {};
  const rateLimit = rateLimitOf(requests, changes, seed);
  const world: WorkspaceSeed = {
    clock: 'frozen',
    now: new Date(story.acts[0]?.at ?? 0).toISOString(),
    quota: quotaOf(opening, changes),
    contacts: contactsOf(requests, { ...surroundings, seed }, journeys.length + put.length > 0),
    templates: templatesOf(requests, valuesOf('send', [journeys, put]), story, seed),
    segments: seed.segments?.filter(({ id }) => segments.includes(id) || named.includes(id)),
    journeys,
    managedWebhooks: webhooksOf(story),
    faults: [...requestFaultsOf(story.acts), ...deliveryFaultsOf(story), ...removedFaultOf(story)],
    randomSeed: seed.randomSeed,
    specGaps: { ...specGaps, ...rateLimit },
  };
  return Object.fromEntries(Object.entries(world).filter(([, value]) => !isEmpty(value)));
}

/** The acts before the first restore. Nothing that comes later uses the workspace as it was before it. */
function openingOf(acts: readonly Act[]): readonly Act[] {
  const restored = numberOfRestore(acts);
  return acts.filter(({ number }) => number < restored);
}

function numberOfRestore(acts: readonly Act[]): number {
  const restore = acts.find((act) => act.type === 'change' && act.operation === 'restore');
  return restore?.number ?? Number.POSITIVE_INFINITY;
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
function quotaOf({ acts, entries }: Story, changes: readonly NumberedChange[]): number | undefined {
  const set = changes.find(({ operation }) => operation === 'quota.set' || operation === 'restore')?.number;
  const isRefusal = (entry: Act | Story['entries'][number]) =>
    (entry.type === 'request' && entry.status === 402 && entry.faults === undefined) ||
    (entry.type === 'journey' && entry.run.error?.includes('quota') === true);
  const refused = [...acts, ...entries].filter(isRefusal).map(({ number }) => number);
  const first = Math.min(...refused, set ?? Number.POSITIVE_INFINITY);
  if (!refused.includes(first)) return undefined;
  return entries.filter((entry) => entry.type === 'send' && entry.number <= first).length;
}

function rateLimitOf(
  requests: readonly RequestEntry[],
  changes: readonly NumberedChange[],
  { specGaps }: WorkspaceSeed,
) {
  const isSet = changes.some(
    (change) => change.operation === 'specGaps.set' && 'rateLimit' in firstOf(change),
  );
  const limit = specGaps?.rateLimit ?? 'off';
  if (isSet) return limit === 'off' ? undefined : { rateLimit: limit };
  const admitted = requests.findIndex(isLimited);
  if (admitted === -1) return undefined;
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
  { acts, entries }: Story,
  seed: WorkspaceSeed,
): readonly TemplateSeed[] {
  const sends = requests.filter(({ operation }) => operation === 'transactional.send');
  const idOf = (send: RequestEntry) => textIn(parsed(partsOf(send).body ?? ''), 'templateId');
  const changed = acts.flatMap((act) => (act.type === 'change' ? [idOfChanged(act)] : []));
  const unknown = sends
    .filter((send) => isOfUnknownTemplate(send) && !changed.includes(idOf(send)))
    .map(idOf);
  const used = [...sends.map(idOf), ...ofJourneys, ...changed];
  const templates = seed.templates?.filter(({ id }) => used.includes(id) && !unknown.includes(id)) ?? [];
  return templates.map(({ status = 'approved', ...template }) => {
    if (changed.includes(template.id)) return { ...template, ...(status !== 'approved' && { status }) };
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

/** The subscriptions that no act creates. Those that only a restore brings come with its snapshot. */
function webhooksOf({ acts, entries, receivers }: Story): readonly ManagedWebhookSeed[] {
  const { urls, createdBy, deletedByApi } = receivers;
  const restored = numberOfRestore(acts);
  const isOurs = (id: string) => !createdBy.has(id) && !deletedByApi.includes(id);
  const events = new Map<string, Set<WebhookEventType>>();
  for (const { delivery, number } of firstAttemptsIn(entries)) {
    const { subscriptionId: id, event } = delivery;
    if (isOurs(id) && number < restored) events.set(id, (events.get(id) ?? new Set()).add(event));
  }
  for (const act of openingOf(acts)) {
    const removed = act.type === 'change' ? validated(subscription, act.before) : undefined;
    if (removed === undefined || !isOurs(removed.id)) continue;
    events.set(removed.id, new Set([...(events.get(removed.id) ?? []), ...removed.events]));
  }
  // The attempt that a fault of a delivery holds back is not in the journal yet.
  const held = entries.flatMap((entry) => (entry.type === 'fault' && 'event' in entry ? [entry.event] : []));
  const found = [...events].map(([id, ofId]) => ({
    url: urls.get(id) ?? exampleWebhook.url,
    events: [...ofId],
  }));
  return urls.size === 0 && held.length > 0 ? [{ url: exampleWebhook.url, events: held }] : found;
}

const subscription = z.looseObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEventTypes)),
});

/** What the receivers of a story respond, by URL and in turn: a status, or the error of the connection. */
export function responsesIn({
  entries,
  receivers,
}: Story): ReadonlyMap<string, readonly (number | string)[]> {
  const responses = new Map<string, (number | string)[]>();
  for (const entry of entries) {
    if (entry.type !== 'attempt') continue;
    const url = receivers.urls.get(entry.delivery.subscriptionId) ?? entry.delivery.url;
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
function requestFaultsOf(acts: readonly Act[]): readonly FaultRule[] {
  const seen = new Map<string, number>();
  return acts.flatMap((act) => {
    // What the rate limit refuses meets no rule.
    if (act.type !== 'request' || isLimited(act)) return [];
    const { operation, faults = [] } = act;
    const nth = (seen.get(operation) ?? 0) + 1;
    seen.set(operation, nth);
    const name = operationNames.find((each) => each === operation);
    return name === undefined ? [] : faults.map((fault) => ({ operation: name, nth, fault }));
  });
}

/** A rule that repeats a fault of an attempt, and the subscription whose attempt it is. */
export interface DeliveryFaultOfStory {
  readonly subscriptionId: string | undefined;
  readonly rule: FaultRule;
}

/**
 * The rules that repeat the faults of the attempts of a story, each for the attempts of one subscription. An attempt that a fault still
 * holds is not in the journal.
 */
export function faultsOfDeliveries({ entries }: Story): readonly DeliveryFaultOfStory[] {
  const attempts = entries.filter((entry) => entry.type === 'attempt');
  return entries.flatMap((entry) => {
    if (entry.type !== 'fault' || !('event' in entry)) return [];
    const { event, deliveryId, fault, number } = entry;
    const own = attempts.find((attempt) => attempt.delivery.id === deliveryId && attempt.number > number);
    const subscriptionId =
      own?.delivery.subscriptionId ??
      attempts.find(({ delivery }) => delivery.id === deliveryId)?.delivery.subscriptionId;
    const isBefore = (attempt: (typeof attempts)[number]) =>
      attempt.delivery.event === event &&
      attempt.delivery.subscriptionId === (subscriptionId ?? attempt.delivery.subscriptionId) &&
      attempt.number < (own?.number ?? Number.POSITIVE_INFINITY);
    const nth = attempts.filter(isBefore).length + 1;
    return [{ subscriptionId, rule: { delivery: event, nth, fault } }];
  });
}

/** The rules of deliveries that the seed has: all, if there is one subscription. Two need a rule for each, which names its id. */
function deliveryFaultsOf(story: Story): readonly FaultRule[] {
  return story.receivers.urls.size > 1 ? [] : faultsOfDeliveries(story).map(({ rule }) => rule);
}

/** The rule that the only act of a story removes. */
function removedFaultOf({ acts }: Story): readonly FaultRule[] {
  const [act] = acts;
  if (acts.length !== 1 || act?.type !== 'change' || act.operation !== 'faults.remove') return [];
  const rule = checkRule(act.before);
  return rule.valid ? [rule.value] : [];
}
