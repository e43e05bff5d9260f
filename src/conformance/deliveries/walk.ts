import { operations } from '../../contract/operations.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import { contactIn } from '../exchange/contact.js';
import { fieldOf } from '../exchange/json.js';
import { isSuccess, type NotAsked, notAsked, type Outcome } from '../exchange/outcome.js';
import type { ConformanceDeliveries } from '../options.js';
import { eventName, type Visit } from '../visit.js';
import { type Arrival, DeliveryListener } from './listener.js';

/** The places that subscriptions deliver to: what each is subscribed to, and what it answers. */
export const places: Readonly<
  Record<string, { readonly events: readonly WebhookEventType[]; readonly answer: number }>
> = {
  received: { events: ['message.received'], answer: 200 },
  'received-too': { events: ['message.received'], answer: 204 },
  'opted-in': { events: ['contact.opted_in'], answer: 202 },
  'opted-out': { events: ['contact.opted_out'], answer: 201 },
  failing: { events: ['message.received'], answer: 503 },
};

/** Stands in what is tracked through POST /v1/events, and so must be in no delivery. */
const trackedMark = 'conformance-check-tracked';

/** All that was delivered, and what there is to judge it by. */
export interface SeenDeliveries {
  readonly arrivals: readonly Arrival[];
  /** Deliveries of what went in through POST /v1/events; they are in no other list. */
  readonly tracked: readonly Arrival[];
  readonly wereEventsTracked: boolean;
  /** The subscription of each place, as the create response has it. */
  readonly subscriptions: Readonly<Record<string, Outcome>>;
  /** What came to `received` after that subscription was deleted; `undefined` where nothing came anywhere else. */
  readonly afterDeletion: number | undefined;
  /** Whether it was waited for that a failed delivery is tried again. */
  readonly waitedForRetries: boolean;
  /** The contact that the first message's `contactId` names. */
  readonly sender: Outcome;
  readonly apiKey: string;
}

/** §6: subscribes, has messages written to the workspace, and gives what was delivered, or why nothing was tried. */
export async function walkDeliveries(visit: Visit): Promise<SeenDeliveries | NotAsked> {
  const { deliveries, clock, signal } = visit.settings;
  if (deliveries === undefined)
    return notAsked('a way to provoke deliveries, and a url to receive them at (deliveries)');
  if (visit.contact === undefined) return notAsked('a contact that can be made');
  const listener = await DeliveryListener.listen({
    host: deliveries.host ?? '127.0.0.1',
    port: deliveries.port ?? 0,
    url: deliveries.url,
    clock,
    signal,
    places: Object.fromEntries(Object.entries(places).map(([place, { answer }]) => [place, answer])),
  });
  try {
    return await walkWith(visit, listener, deliveries, visit.contact.phone);
  } finally {
    await listener.close();
  }
}

async function walkWith(
  visit: Visit,
  listener: DeliveryListener,
  deliveries: ConformanceDeliveries,
  phone: string,
): Promise<SeenDeliveries | NotAsked> {
  const wait = deliveries.wait ?? 10_000;
  const retryWait = deliveries.retryWait ?? 0;
  const subscriptions: Record<string, Outcome> = {};
  const subscribe = async (place: string) => {
    const subscription = { url: listener.urlOf(place), events: places[place]?.events ?? [] };
    subscriptions[place] = await visit.subscribe(subscription);
  };
  for (const place of Object.keys(places)) if (place !== 'failing') await subscribe(place);
  const failed = Object.values(subscriptions).find((outcome) => !isSuccess(outcome));
  if (failed !== undefined) {
    return failed.kind === 'not_asked' ? failed : notAsked('subscriptions that can be made to the given url');
  }

  const wereEventsTracked = await trackWhatIsNotDelivered(visit, phone);
  const count = (place: string) => listener.count(place);
  const provoke = (body: string) => deliveries.provoke({ phone, body });
  try {
    await provoke('Hello');
    await listener.until(() => count('received') > 0 && count('received-too') > 0, wait);
    await provoke('STOP');
    await listener.until(() => count('opted-out') > 0, wait);
    await provoke('START');
    await listener.until(() => count('opted-in') > 0, wait);

    // A message is a message, whatever its text: the two above are waited for, lest they come after the deletion.
    await listener.until(() => count('received') > 2 && count('received-too') > 2, wait);
    const { received = notAsked('') } = subscriptions;
    const isDeleted = isSuccess(await visit.unsubscribe(received));
    const before = { received: count('received'), too: count('received-too') };
    await provoke('Hello again');
    const hasMarker = await listener.until(() => count('received-too') > before.too, wait);

    if (retryWait > 0) {
      await subscribe('failing');
      await provoke('Hello once more');
      await listener.until(() => count('failing') > 2, retryWait);
    }
    for (const [place, created] of Object.entries(subscriptions)) {
      if (place !== 'received' || !isDeleted) await visit.unsubscribe(created);
    }
    const isTracked = ({ body }: Arrival) => {
      const text = new TextDecoder().decode(body);
      return text.includes(trackedMark) || text.includes(`"${eventName}"`);
    };
    return {
      arrivals: listener.arrivals.filter((arrival) => !isTracked(arrival)),
      tracked: listener.arrivals.filter(isTracked),
      wereEventsTracked,
      subscriptions,
      afterDeletion: isDeleted && hasMarker ? count('received') - before.received : undefined,
      waitedForRetries: retryWait > 0,
      sender: await findSender(visit, listener.arrivals),
      apiKey: visit.settings.apiKey,
    };
  } catch (error) {
    visit.settings.signal?.throwIfAborted();
    return notAsked(
      `deliveries that can be provoked: ${error instanceof Error ? error.message : 'it failed'}`,
    );
  }
}

/** Tracks an event of our name and one that is named like a delivery. */
async function trackWhatIsNotDelivered(visit: Visit, phone: string): Promise<boolean> {
  if (!visit.settings.events) return false;
  const properties = { body: trackedMark };
  const outcomes = [];
  for (const event of [eventName, 'message.received']) {
    outcomes.push(await visit.ask(operations.events.track, { body: { event, phone, properties } }));
  }
  return outcomes.every(isSuccess);
}

/** The contact that the first message's data names; only read. */
async function findSender(visit: Visit, arrivals: readonly Arrival[]): Promise<Outcome> {
  const data = arrivals.filter(({ place }) => place.startsWith('received')).map((arrival) => dataOf(arrival));
  const contactId = data
    .map((each) => fieldOf(each, 'contactId'))
    .find((id) => typeof id === 'string' && id !== '');
  return visit.get(typeof contactId === 'string' ? contactId : undefined);
}

/** A delivery's body as JSON; `undefined` where it is none. */
export function bodyOf({ body }: Arrival): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

export const dataOf = (arrival: Arrival): unknown => fieldOf(bodyOf(arrival), 'data');

/** The phone of the contact that a message's `contactId` names, where the deployment shows it. */
export const senderPhone = ({ sender }: SeenDeliveries): unknown =>
  isSuccess(sender) ? contactIn(sender)?.properties?.phone : undefined;
