import type { WebhookEventType } from '../../contract/delivery.js';
import { maskPhone } from '../../contract/phone.js';
import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import { isObject } from '../../foundation/is-object.js';
import {
  aString,
  checkOptionsOfCall,
  type OptionCheck,
  oneOf,
  protects,
  trueOrFalse,
} from '../../foundation/options.js';
import { eventDataIn } from '../inspection/code.js';
import { describeEntry } from '../inspection/inspection.js';
import { type Delivery, type EventEntry, type JournalEntry, readable } from '../model/journal-entry.js';
import { type Page, type PageOptions, type PageRange, pageOf, rangeOf } from '../model/page.js';
import {
  type DeliveryRecord,
  type DeliveryStatus,
  deliveryStatuses,
  type EventRecord,
  type JourneyRunRecord,
  type SendRecord,
} from '../model/records.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import { sizeOf } from '../workspace/history.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import type { DeliveryCheck, DeliveryExplanation, ReceiversSide } from './explanation/explanation.js';
import { follow } from './follow.js';
import {
  contactField,
  currentMatches,
  explain,
  isPhone,
  matchOf,
  WaitEndedError,
  type WaitOptions,
  WaitTimeoutError,
  type Wanted,
  waitFor,
  wantedBy,
} from './wait.js';

/** Selects sends. A send must match every field that is set. */
export type SendFilter = {
  /** The contact's id or phone. */
  readonly contact?: string | undefined;
  readonly templateId?: string | undefined;
  /** The whole sent text, or a pattern to find in it. */
  readonly text?: string | RegExp | undefined;
  /** The journey run that sent it. */
  readonly journeyRunId?: string | undefined;
};

/**
 * Finds the template messages that a workspace sent, and waits for them.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ templates: [{ id: 'hello', body: 'Hello {{1}}' }] });
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * await server.client.transactional.send({ phone: '+15551234567', templateId: 'hello', variables: { '1': 'Ada' } });
 * const send = await server.sends.waitFor({ contact: '+15551234567', text: /Ada/ });
 * console.log(send.text); // Hello Ada
 * ```
 */
export type WorkspaceSends = {
  /** Returns the sends in the journal that match, oldest first. */
  find(filter?: SendFilter): Promise<readonly SendRecord[]>;
  /**
   * Waits for the first send that matches, or the nth. Sends before the call count too.
   *
   * @throws WaitTimeoutError that lists the closest sends.
   */
  waitFor(filter?: SendFilter, options?: WaitOptions): Promise<SendRecord>;
};

export function sendsOf(live: LiveWorkspace): WorkspaceSends {
  return {
    find: async (filter = {}) => currentMatches(live, wantedSend(filter)),
    waitFor: async (filter = {}, options = {}) => waitFor(live, wantedSend(filter), options),
  };
}

export const aTextOrPattern: OptionCheck = [
  (value) => typeof value === 'string' || Object.prototype.toString.call(value) === '[object RegExp]',
  'a text or a regular expression',
];

/** Describes the sends that a filter selects. */
function wantedSend(filter: SendFilter): Wanted<SendRecord> {
  const { contact, text }: SendFilter = Object(filter);
  const fields = {
    contact: contactField<SendRecord>(contact, (send) => send),
    templateId: { name: 'template', of: (send: SendRecord) => send.templateId },
    text: {
      name: 'text',
      check: aTextOrPattern,
      of: (send: SendRecord) => send.text,
      meets: (send: SendRecord) =>
        typeof text === 'object' ? send.text.search(text) !== -1 : send.text === text,
    },
    journeyRunId: { name: 'journey run', of: (send: SendRecord) => send.journeyRunId },
  };
  return wantedBy('send', filter, fields, {
    select: (entry) => (entry.type === 'send' ? entry.send : undefined),
    describe: ({ templateId, phone, sentAt }) =>
      `${JSON.stringify(templateId)} to ${maskPhone(phone)} at ${new Date(sentAt).toISOString()}`,
  });
}

/** Selects tracked events. An event must match every field that is set. */
export type EventFilter = {
  readonly event?: string | undefined;
  /** The contact's id or phone. */
  readonly contact?: string | undefined;
};

/**
 * Finds the tracked events of a workspace, and waits for them.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * await server.client.events.track({ event: 'order_placed', phone: '+15551234567', properties: { total: 12 } });
 * const { properties } = await server.events.waitFor({ event: 'order_placed' });
 * console.log(properties.total); // 12
 * ```
 */
export type WorkspaceEvents = {
  /** Returns the events in the journal that match, oldest first. */
  find(filter?: EventFilter): Promise<readonly EventRecord[]>;
  /**
   * Waits for the first event that matches, or the nth. Events before the call count too.
   *
   * @throws WaitTimeoutError that lists the closest events.
   */
  waitFor(filter?: EventFilter, options?: WaitOptions): Promise<EventRecord>;
};

export function eventsOf(live: LiveWorkspace): WorkspaceEvents {
  return {
    find: async (filter = {}) => (await currentMatches(live, wantedEvent(filter))).map(({ event }) => event),
    waitFor: async (filter = {}, options = {}) => (await waitFor(live, wantedEvent(filter), options)).event,
  };
}

/** Describes the tracked events that a filter selects. */
function wantedEvent(filter: EventFilter): Wanted<EventEntry> {
  const fields = {
    event: { name: 'event', of: ({ event }: EventEntry) => event.event },
    contact: contactField<EventEntry>(filter?.contact, ({ phone, event: { contactId } }) => ({
      phone,
      contactId,
    })),
  };
  return wantedBy('tracked event', filter, fields, {
    select: (entry) => (entry.type === 'event' ? entry : undefined),
    describe: ({ event }) => `${JSON.stringify(event.event)} of ${event.contactId}`,
  });
}

/** Selects webhook deliveries. A delivery must match every field that is set. */
export type DeliveryFilter = {
  readonly event?: WebhookEventType | undefined;
  /** The id or phone of the contact in the event. */
  readonly contact?: string | undefined;
  readonly subscriptionId?: string | undefined;
  /** The status of the delivery after its last attempt: `pending` while a retry is due. */
  readonly status?: DeliveryStatus | undefined;
};

/**
 * Finds the webhook deliveries of a workspace, waits for them, repeats them, and explains why they failed.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ fetch: async () => new Response(null, { status: 204 }) });
 * await server.client.webhooks.create({ url: 'https://example.com/hooks', events: ['message.received'] });
 * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
 * const delivery = await server.deliveries.waitFor({ event: 'message.received', contact: '+15551234567' });
 * await server.deliveries.redeliver(delivery.id); // the same bytes once more
 * ```
 */
export type WorkspaceDeliveries = {
  /** Returns the attempted deliveries in the journal that match, each with its state after its last attempt. */
  find(filter?: DeliveryFilter): Promise<readonly Delivery[]>;
  /**
   * Waits for the first delivery that matches, or the nth. Deliveries before the call count too. If the filter has no
   * `status`, it waits for a delivery that the receiver acknowledged (`delivered`).
   *
   * @throws WaitTimeoutError that lists the closest deliveries, with the receiver's response to each.
   */
  waitFor(filter?: DeliveryFilter, options?: WaitOptions): Promise<Delivery>;
  /**
   * Sends the same bytes to the same subscription again, as a new delivery. With `ifFailed`, only if the delivery failed and
   * has no redelivery: of several such calls for one delivery, one succeeds. Default: in any case.
   *
   * @throws Error if the delivery or its subscription no longer exists, or `ifFailed` does not hold.
   */
  redeliver(deliveryId: string, options?: { readonly ifFailed?: boolean | undefined }): Promise<Delivery>;
  /**
   * Explains the status of a delivery: its possible causes, the most likely first, each with advice. It examines the
   * receiver's response and clock, the signature and the injected faults.
   *
   * @throws Error if the delivery does not exist.
   * @example
   * ```ts
   * import { createReferenceServer } from 'messaging-automation/server';
   *
   * await using server = createReferenceServer({ fetch: async () => new Response('no such page', { status: 404 }) });
   * await server.client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
   * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
   * const { id } = await server.deliveries.waitFor({ status: 'pending' });
   * const { causes } = await server.deliveries.explain(id);
   * console.log(causes[0]?.cause, causes[0]?.advice); // not_found, and how to fix it
   * ```
   */
  explain(deliveryId: string): Promise<DeliveryExplanation>;
  /**
   * Verifies the signature of a delivery with the receiver's own secret, body or both, and explains a mismatch. `secret`
   * is the value of the receiver's WEBHOOK_SECRET, `body` the text that the receiver hashed. At least one is required.
   *
   * @throws Error if the delivery does not exist, or its subscription was deleted and there is no `secret`.
   * @throws TypeError if the secret is empty or damaged.
   * @example
   * ```ts
   * import { createReferenceServer } from 'messaging-automation/server';
   *
   * await using server = createReferenceServer({ fetch: async () => new Response(null, { status: 401 }) });
   * const { secret } = await server.client.webhooks.create({
   *   url: 'https://example.com/hooks',
   *   events: ['message.received'],
   * });
   * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
   * const { id } = await server.deliveries.waitFor({ status: 'pending' });
   * const { findings } = await server.deliveries.check(id, { secret: secret.replace('whsec_', '') });
   * console.log(findings[0]?.fault); // secret_prefix_missing
   * ```
   */
  check(deliveryId: string, side: ReceiversSide): Promise<DeliveryCheck>;
};

export function deliveriesOf(live: LiveWorkspace): WorkspaceDeliveries {
  return {
    async find(filter = {}) {
      const { differences } = wantedDelivery(filter);
      const attempted = await currentMatches(live, wantedDelivery({}));
      // Each attempt has a copy of its delivery: the last copy is the newest.
      const latest = new Map(attempted.map((delivery) => [delivery.id, delivery])).values();
      return [...latest].filter((delivery) => differences(delivery).length === 0);
    },
    waitFor: async (filter = {}, options = {}) =>
      waitFor(
        live,
        wantedDelivery(
          isObject(filter) && filter.status === undefined ? { ...filter, status: 'delivered' } : filter,
        ),
        options,
      ),
    async redeliver(deliveryId, options = {}) {
      checkOptionsOfCall('deliveries.redeliver', options, { ifFailed: protects(trueOrFalse) });
      return run(live, () => redeliver(live, deliveryId, options));
    },
    // Loaded on demand, because most tests never use it.
    explain: (deliveryId) =>
      run(live, async () => (await import('./explanation/explain.js')).explainDelivery(live, deliveryId)),
    async check(deliveryId, side) {
      checkOptionsOfCall('deliveries.check', side, { secret: aString, body: aString });
      return run(live, async () =>
        (await import('./explanation/explain.js')).checkDelivery(live, deliveryId, side),
      );
    },
  };
}

/** Sends the bytes of a delivery again. */
export async function redeliver(
  { dispatcher }: LiveWorkspace,
  deliveryId: string,
  { ifFailed = false }: NonNullable<Parameters<WorkspaceDeliveries['redeliver']>[1]>,
): Promise<Delivery> {
  return readable(await dispatcher.redeliver(deliveryId, ifFailed ? 'if_failed' : undefined));
}

/** Describes the deliveries that a filter selects. */
function wantedDelivery(filter: DeliveryFilter): Wanted<Delivery> {
  const fields = {
    event: {
      name: 'event',
      check: oneOf(...webhookEventTypes),
      of: (delivery: Delivery) => delivery.event,
    },
    contact: contactField<Delivery>(filter?.contact, (delivery) => Object(eventDataIn(delivery))),
    subscriptionId: { name: 'subscription', of: (delivery: Delivery) => delivery.subscriptionId },
    status: {
      name: 'status',
      check: oneOf(...deliveryStatuses),
      of: (delivery: Delivery) => delivery.status,
    },
  };
  return wantedBy('delivery', filter, fields, {
    select: (entry) => (entry.type === 'attempt' ? entry.delivery : undefined),
    describe({ event, attempts, status }) {
      const last = attempts.at(-1);
      return `${event}, ${status} after attempt ${attempts.length} (${last?.error ?? `responded with ${last?.status}`})`;
    },
  });
}

/** Where a page begins, its size, and how long to wait for its first item. */
interface ReadOptions extends PageOptions {
  /** How long to wait while the page is empty, by the machine's clock. Default: no wait. */
  readonly wait?: Duration | undefined;
  /** Aborts when the reader disconnects. */
  readonly gone: AbortSignal;
}

/** A page of a list that drops its oldest items when it is full. */
export interface ForgetfulPage<Item> extends Page<Item> {
  /** How many items the list has dropped. */
  readonly forgotten: number;
}

/** Selects entries of the journal. */
interface EntryFilter {
  readonly type?: JournalEntry['type'] | undefined;
  readonly operation?: string | undefined;
  readonly requestId?: string | undefined;
}

export async function readSends(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: SendFilter & ReadOptions & { readonly text?: string | undefined },
): Promise<ForgetfulPage<SendRecord>> {
  const { store } = live.context;
  const { contact, ...fields } = filter;
  const sent = { ...fields, ...named(contact), status: 'sent' } as const;
  const read = (range: PageRange) => store.sends.page(sent, range);
  const page = await pageWithin(live, wantedSend(filter), read, { limit, cursor, wait, gone });
  return { ...page, forgotten: (await store.countForgotten()).sends };
}

export async function readEvents(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: EventFilter & ReadOptions,
): Promise<Page<EventRecord>> {
  const { store } = live.context;
  const { event, contact } = filter;
  const read = async (range: PageRange) => {
    // Looked up at each read, because the contact may be created during the wait.
    const { phone, contactId } = named(contact);
    const known = phone === undefined ? { id: contactId } : await store.contacts.findByPhone(phone);
    if (known === undefined) return { data: [], more: false, cursor: String(range.after) };
    return store.events.page({ event, contactId: known.id }, range);
  };
  return pageWithin(live, wantedEvent(filter), read, { limit, cursor, wait, gone });
}

export async function readDeliveries(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: DeliveryFilter & ReadOptions,
): Promise<ForgetfulPage<DeliveryRecord>> {
  const { store } = live.context;
  // The same default as `deliveries.waitFor`: wait for an acknowledged delivery.
  const wanted = wait === undefined ? filter : { ...filter, status: filter.status ?? 'delivered' };
  const { contact, ...fields } = wanted;
  const read = (range: PageRange) => store.outbox.page({ ...fields, ...named(contact) }, range);
  const page = await pageWithin(live, wantedDelivery(wanted), read, { limit, cursor, wait, gone });
  return { ...page, forgotten: (await store.countForgotten()).deliveries };
}

export async function readJourneyRuns(
  { context: { store } }: LiveWorkspace,
  options: PageOptions,
): Promise<ForgetfulPage<JourneyRunRecord>> {
  const page = await store.journeys.pageOfRuns(rangeOf(options));
  return { ...page, forgotten: (await store.countForgotten()).journeyRuns };
}

/** Reads the journal. Each entry has its number; the next page begins after the last one. */
export async function readJournal(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: EntryFilter & ReadOptions,
): Promise<ForgetfulPage<readonly [number: number, entry: JournalEntry]>> {
  const { history } = live;
  const wanted = wantedEntry(filter);
  const read = async (range: PageRange) => {
    await live.journal.current();
    return pageOf(
      history
        .entriesAfter(range.after)
        .filter(([, entry]) => matchOf(wanted, entry) !== undefined)
        .map((numbered) => [numbered[0], numbered] as const),
      range,
      ([, entry]) => sizeOf(entry),
    );
  };
  const page = await pageWithin(live, wanted, read, { limit, cursor, wait, gone });
  return { ...page, forgotten: history.forgotten };
}

/** Returns the field that names a contact: the phone or the id. */
function named(contact: string | undefined): { readonly phone?: string; readonly contactId?: string } {
  if (contact === undefined) return {};
  return isPhone(contact) ? { phone: contact } : { contactId: contact };
}

function wantedEntry(filter: EntryFilter): Wanted<JournalEntry> {
  const fields = {
    type: { name: 'type', of: (entry: JournalEntry) => entry.type },
    operation: { name: 'operation', of: (entry: JournalEntry) => Reflect.get(entry, 'operation') },
    requestId: { name: 'request id', of: (entry: JournalEntry) => Reflect.get(entry, 'requestId') },
  };
  return wantedBy('entry', filter, fields, { select: (entry) => entry, describe: describeEntry });
}

/**
 * Reads a page. If the page is empty and `wait` is set, reads it again when the journal has an item that matches.
 *
 * @throws WaitTimeoutError that lists the closest items; WaitEndedError; RateLimitedError if too many readers wait already.
 */
async function pageWithin<Item, Shown>(
  live: LiveWorkspace,
  wanted: Wanted<Item>,
  read: (range: PageRange) => Promise<Page<Shown>>,
  { wait, gone, ...options }: ReadOptions,
): Promise<Page<Shown>> {
  const range = rangeOf(options);
  if (wait === undefined) return read(range);
  const limit = toMilliseconds(wait);
  const over = new AbortController();
  // Followed before the read: an entry that arrives during the read causes another one.
  const entries = follow(live, { gone: AbortSignal.any([gone, over.signal]) });
  const cancelTimer = live.machine.setTimer(() => over.abort(), limit);
  try {
    const page = await read(range);
    if (page.data.length > 0) return page;
    for await (const occurrence of entries) {
      if (occurrence?.kind === 'entry' && matchOf(wanted, occurrence.entry) === undefined) continue;
      const later = await read(range);
      if (later.data.length > 0) return later;
    }
  } finally {
    cancelTimer();
    over.abort();
  }
  if (gone.aborted) throw new WaitEndedError('The reader disconnected.');
  if (live.life.isStopped) throw new WaitEndedError('The workspace closed during the wait.');
  throw new WaitTimeoutError(explain(live.history, wanted, 1, limit));
}
