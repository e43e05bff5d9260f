import { operations } from '../../contract/operations.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import { type ConformanceRun, eventName } from '../conformance-run.js';
import { contactIn } from '../exchange/contact.js';
import { fieldOf, propertyOf } from '../exchange/json.js';
import { isSuccess, type NotAsked, notAsked, type Outcome } from '../exchange/outcome.js';
import type { ConformanceDeliveries } from '../options.js';
import { DeliveryListener, type ReceivedDelivery } from './listener.js';

/** The receivers that subscriptions deliver to: what each is subscribed to, and what it answers. */
export const receivers: Readonly<
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
export interface ObservedDeliveries {
  readonly received: readonly ReceivedDelivery[];
  /** Deliveries of what went in through POST /v1/events; they are in no other list. */
  readonly tracked: readonly ReceivedDelivery[];
  readonly wereEventsTracked: boolean;
  /** The subscription of each receiver, as the create response has it. */
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
export async function observeDeliveries(run: ConformanceRun): Promise<ObservedDeliveries | NotAsked> {
  const { deliveries, clock, signal } = run.settings;
  if (deliveries === undefined)
    return notAsked('a way to provoke deliveries, and a url to receive them at (deliveries)');
  if (run.contact === undefined) return notAsked('a contact that can be made');
  const listener = await DeliveryListener.listen({
    host: deliveries.host ?? '127.0.0.1',
    port: deliveries.port ?? 0,
    url: deliveries.url,
    clock,
    signal,
    receivers: Object.fromEntries(
      Object.entries(receivers).map(([receiver, { answer }]) => [receiver, answer]),
    ),
  });
  try {
    return await observeWith(run, listener, deliveries, run.contact.phone);
  } finally {
    await listener.close();
  }
}

async function observeWith(
  run: ConformanceRun,
  listener: DeliveryListener,
  deliveries: ConformanceDeliveries,
  phone: string,
): Promise<ObservedDeliveries | NotAsked> {
  const wait = deliveries.wait ?? 10_000;
  const retryWait = deliveries.retryWait ?? 0;
  const subscriptions: Record<string, Outcome> = {};
  const subscribe = async (receiver: string) => {
    const subscription = { url: listener.urlOf(receiver), events: receivers[receiver]?.events ?? [] };
    subscriptions[receiver] = await run.subscribe(subscription);
  };
  for (const receiver of Object.keys(receivers)) if (receiver !== 'failing') await subscribe(receiver);
  const failed = Object.values(subscriptions).find((outcome) => !isSuccess(outcome));
  if (failed !== undefined) {
    return failed.kind === 'not_asked' ? failed : notAsked('subscriptions that can be made to the given url');
  }

  const wereEventsTracked = await trackWhatIsNotDelivered(run, phone);
  const count = (receiver: string) => listener.count(receiver);
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
    const isDeleted = isSuccess(await run.unsubscribe(received));
    const before = { received: count('received'), too: count('received-too') };
    await provoke('Hello again');
    const hasMarker = await listener.until(() => count('received-too') > before.too, wait);

    if (retryWait > 0) {
      await subscribe('failing');
      await provoke('Hello once more');
      await listener.until(() => count('failing') > 2, retryWait);
    }
    for (const [receiver, created] of Object.entries(subscriptions)) {
      if (receiver !== 'received' || !isDeleted) await run.unsubscribe(created);
    }
    const isTracked = ({ body }: ReceivedDelivery) => {
      const text = new TextDecoder().decode(body);
      return text.includes(trackedMark) || text.includes(`"${eventName}"`);
    };
    return {
      received: listener.received.filter((delivery) => !isTracked(delivery)),
      tracked: listener.received.filter(isTracked),
      wereEventsTracked,
      subscriptions,
      afterDeletion: isDeleted && hasMarker ? count('received') - before.received : undefined,
      waitedForRetries: retryWait > 0,
      sender: await findSender(run, listener.received),
      apiKey: run.settings.apiKey,
    };
  } catch (error) {
    run.settings.signal?.throwIfAborted();
    const message = propertyOf(error, 'message');
    return notAsked(
      `deliveries that can be provoked: ${typeof message === 'string' ? message : 'it failed'}`,
    );
  }
}

/** Tracks an event of our name and one that is named like a delivery. */
async function trackWhatIsNotDelivered(run: ConformanceRun, phone: string): Promise<boolean> {
  if (!run.settings.events) return false;
  const properties = { body: trackedMark };
  const outcomes = [];
  for (const event of [eventName, 'message.received']) {
    outcomes.push(await run.request(operations.events.track, { body: { event, phone, properties } }));
  }
  return outcomes.every(isSuccess);
}

/** The contact that the first message's data names; only read. */
async function findSender(run: ConformanceRun, received: readonly ReceivedDelivery[]): Promise<Outcome> {
  const data = received
    .filter(({ receiver }) => receiver.startsWith('received'))
    .map((delivery) => dataOf(delivery));
  const contactId = data
    .map((each) => fieldOf(each, 'contactId'))
    .find((id) => typeof id === 'string' && id !== '');
  return run.get(typeof contactId === 'string' ? contactId : undefined);
}

/** A delivery's body as JSON; `undefined` where it is none. */
export function bodyOf({ body }: ReceivedDelivery): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

export const dataOf = (delivery: ReceivedDelivery): unknown => fieldOf(bodyOf(delivery), 'data');

/** The phone of the contact that a message's `contactId` names, where the deployment shows it. */
export const senderPhone = ({ sender }: ObservedDeliveries): unknown =>
  isSuccess(sender) ? contactIn(sender)?.properties?.phone : undefined;
