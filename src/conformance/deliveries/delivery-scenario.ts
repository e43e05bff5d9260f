import { deliveryRetries } from '../../contract/delivery.js';
import { operations } from '../../contract/operations.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import {
  type ConformanceRun,
  contactNeeded,
  eventName,
  eventsNeeded,
  type OwnContact,
} from '../conformance-run.js';
import { usableId } from '../exchange/contact.js';
import { fieldOf, propertyOf } from '../exchange/json.js';
import { isSuccess, type NotRequested, notRequested, type Outcome } from '../exchange/outcome.js';
import type { ConformanceDeliveries } from '../options.js';
import { DeliveryListener, type ReceivedDelivery } from './listener.js';

/** The receivers that subscriptions deliver to: the events of each, and the status of its responses. */
export const receivers: Readonly<
  Record<string, { readonly events: readonly WebhookEventType[]; readonly status: number }>
> = {
  received: { events: ['message.received'], status: 200 },
  'received-too': { events: ['message.received'], status: 204 },
  'opted-in': { events: ['contact.opted_in'], status: 202 },
  'opted-out': { events: ['contact.opted_out'], status: 201 },
  failing: { events: ['message.received'], status: 503 },
};

/** A mark in the events that the run tracks through POST /v1/events. No delivery may contain it. */
const trackedMark = 'conformance-check-tracked';

/** All received deliveries, and the data that the checks compare them with. */
export interface ObservedDeliveries {
  readonly deliveries: readonly ReceivedDelivery[];
  /** Deliveries of events that the run tracked through POST /v1/events. They are in no other list. */
  readonly tracked: readonly ReceivedDelivery[];
  /** What was missing to track events; `undefined` if they were tracked. */
  readonly notTracked: NotRequested | undefined;
  /** The response that created the subscription of each receiver. */
  readonly subscriptions: Readonly<Record<string, Outcome>>;
  /** The texts that were sent while both receivers of messages were subscribed. */
  readonly texts: readonly string[];
  /**
   * How many deliveries `received` got after its subscription was deleted. `undefined` if no other receiver got the message that
   * the run sent after the deletion.
   */
  readonly afterDeletion: number | undefined;
  /** How long the run waited for the retries of a failed delivery, in milliseconds; 0 if it did not wait. */
  readonly retryWait: number;
  /** The contact of the run. The messages come from its phone if the deployment can choose that. */
  readonly contact: OwnContact;
  /** Whether the deployment returns that contact by its id. */
  readonly canGet: boolean;
  /** What the deployment returns for each `contactId` of a message, for the first few of them. */
  readonly senders: ReadonlyMap<string, Outcome>;
  readonly startedAt: number;
  readonly apiKey: string;
}

/** The last texts. The run sends them while not all receivers are subscribed. */
export const laterTexts = ['Hello again', 'Hello once more'] as const;

const mostSenders = 5;

/** §6: subscribes, makes a contact write to the workspace, and returns the deliveries, or what the check needs for them. */
export async function observeDeliveries(run: ConformanceRun): Promise<ObservedDeliveries | NotRequested> {
  const { deliveries, clock, signal } = run.settings;
  if (deliveries === undefined)
    return notRequested('a way to provoke deliveries, and a listener to receive them', 'deliveries');
  if (run.contact === undefined) return contactNeeded;
  const listener = await DeliveryListener.listen({
    host: deliveries.host ?? '127.0.0.1',
    port: deliveries.port ?? 0,
    url: deliveries.url,
    clock,
    signal,
    receivers: Object.fromEntries(
      Object.entries(receivers).map(([receiver, { status }]) => [receiver, status]),
    ),
  });
  try {
    return await observeWith(run, listener, deliveries, run.contact);
  } finally {
    await listener.close();
  }
}

async function observeWith(
  run: ConformanceRun,
  listener: DeliveryListener,
  deliveries: ConformanceDeliveries,
  contact: OwnContact,
): Promise<ObservedDeliveries | NotRequested> {
  const { phone } = contact;
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
    return failed.kind === 'not_requested'
      ? failed
      : notRequested('subscriptions that can be created with the URL of the listener', 'deliveries');
  }

  const notTracked = await trackWhatIsNotDelivered(run, phone);
  const count = (receiver: string) => listener.count(receiver);
  const provoke = (body: string) => deliveries.provoke({ phone, body });
  try {
    await provoke('Hello');
    await listener.until(() => count('received') > 0 && count('received-too') > 0, wait);
    await provoke('STOP');
    await listener.until(() => count('opted-out') > 0, wait);
    await provoke('START');
    await listener.until(() => count('opted-in') > 0, wait);

    // STOP and START are messages, too. Wait for their deliveries, or they look like deliveries after the deletion.
    await listener.until(() => count('received') > 2 && count('received-too') > 2, wait);
    const texts = ['Hello', 'STOP', 'START'];
    const { received = notRequested('') } = subscriptions;
    const isDeleted = isSuccess(await run.unsubscribe(received));
    const before = { received: count('received'), too: count('received-too') };
    await provoke(laterTexts[0]);
    const hasMarker = await listener.until(() => count('received-too') > before.too, wait);
    const afterDeletion = isDeleted && hasMarker ? count('received') - before.received : undefined;

    if (retryWait > 0) {
      await subscribe('failing');
      await provoke(laterTexts[1]);
      // Wait for the whole time even after the last allowed attempt, to see whether another one follows.
      await listener.until(() => count('failing') > deliveryRetries + 1, retryWait);
    }
    for (const [receiver, created] of Object.entries(subscriptions)) {
      if (receiver !== 'received' || !isDeleted) await run.unsubscribe(created);
    }
    const isTracked = ({ body }: ReceivedDelivery) => {
      const text = new TextDecoder().decode(body);
      return text.includes(trackedMark) || text.includes(`"${eventName}"`);
    };
    const ids = listener.deliveries
      .filter(({ receiver }) => receiver.startsWith('received'))
      .map((delivery) => usableId(fieldOf(dataOf(delivery), 'contactId')))
      .filter((id) => id !== undefined);
    const senders = new Map<string, Outcome>();
    for (const id of [...new Set(ids)].slice(0, mostSenders)) senders.set(id, await run.get(id));
    return {
      deliveries: listener.deliveries.filter((delivery) => !isTracked(delivery)),
      tracked: listener.deliveries.filter(isTracked),
      notTracked,
      subscriptions,
      texts,
      afterDeletion,
      retryWait,
      contact,
      canGet: isSuccess(senders.get(contact.id) ?? (await run.get(contact.id))),
      senders,
      startedAt: run.startedAt,
      apiKey: run.settings.apiKey,
    };
  } catch (error) {
    run.settings.signal?.throwIfAborted();
    const message = propertyOf(error, 'message');
    return notRequested(
      `deliveries that can be provoked: ${typeof message === 'string' ? message : 'it failed'}`,
    );
  }
}

/** Tracks an event with the run's name, and one with the name of an event type. Returns what is missing if it cannot. */
async function trackWhatIsNotDelivered(
  run: ConformanceRun,
  phone: string,
): Promise<NotRequested | undefined> {
  if (!run.settings.events) return eventsNeeded;
  const properties = { body: trackedMark };
  const outcomes = [];
  for (const event of [eventName, 'message.received']) {
    outcomes.push(await run.request(operations.events.track, { body: { event, phone, properties } }));
  }
  return outcomes.every(isSuccess) ? undefined : notRequested('events that the deployment accepts');
}

/** A delivery's body as JSON. `undefined` if it is not JSON. */
export function bodyOf({ body }: ReceivedDelivery): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

export const dataOf = (delivery: ReceivedDelivery): unknown => fieldOf(bodyOf(delivery), 'data');
