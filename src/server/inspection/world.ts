import { operationNames } from '../../contract/operation-name.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { FaultRule } from '../model/fault.js';
import type { EntryOf, RequestEntry } from '../model/journal-entry.js';
import { receiverUrl } from '../model/listener.js';
import { isBuiltInReceiver } from '../model/receiver.js';
import type { TemplateSeed, WorkspaceSeed } from '../seed/workspace-seed.js';
import type { ManagedWebhookSeed } from '../service/subscriptions.js';
import { partsOf } from './calls.js';
import { parsed, textIn } from './code.js';
import {
  type Act,
  deliveriesIn,
  exampleWebhook,
  isLimited,
  isUnknown,
  phoneIn,
  type Story,
  type Surroundings,
} from './story.js';

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
