import { operations } from '../../contract/operations.js';
import { texts as hostileTexts } from '../checks/hostile-values.js';
import { type ConformanceRun, contactNeeded, eventName, eventsNeeded } from '../conformance-run.js';
import { type ExchangeOutcome, isSuccess, type NotChecked, needing } from '../exchange/outcome.js';
import type { ConformanceDeliveries } from '../options.js';
import {
  type DeliveryListener,
  listenForDeliveries,
  type PlannedResponse,
  type ReceivedDelivery,
  type Receiver,
} from './listener.js';

const ofMessages = (...responses: readonly PlannedResponse[]): Receiver => ({
  events: ['message.received'],
  responses,
});

/** The receivers of the first messages. */
const accepting: Readonly<Record<string, Receiver>> = {
  received: ofMessages(200),
  'received-too': ofMessages(204),
  'opted-in': { events: ['contact.opted_in'], responses: [202] },
  'opted-out': { events: ['contact.opted_out'], responses: [201] },
};

/** The receivers of the one message whose retries are counted: those that accept it, and those that fail. */
const accepted = [200, 201, 202, 204, 206, 299];
const failures: readonly PlannedResponse[] = [
  ...[400, 401, 403, 404, 408, 409, 410, 422, 429, 500, 503],
  ...(['redirect-301', 'redirect-302', 'redirect-307', 'cut', 'late'] as const),
];
const retried: Readonly<Record<string, Receiver>> = {
  ...Object.fromEntries(accepted.map((status) => [`accepts-${status}`, ofMessages(status)])),
  ...Object.fromEntries(failures.map((response) => [`fails-${response}`, ofMessages(response)])),
  recovers: ofMessages(503, 200),
};

export const receivers = new Map(Object.entries({ ...accepting, ...retried }));

const retriesNeeded = needing('time to wait for the retries', 'deliveries.retryWait');
const lateResponseNeeded = needing('a receiver that responds too late', 'deliveries.lateResponse');

/** A mark in the events that the run tracks through POST /v1/events. No delivery may contain it. */
const trackedMark = 'conformance-check-tracked';

/** All received deliveries, and the data that they are compared with. */
export type ObservedDeliveries = Exclude<Awaited<ReturnType<typeof observeWith>>, NotChecked>;

/** §6: subscribes, makes a contact write to the workspace, and returns the deliveries, or what the check needs for them. */
export async function observeDeliveries(run: ConformanceRun): Promise<ObservedDeliveries | NotChecked> {
  if (run.settings.deliveries === undefined)
    return needing('a way to provoke deliveries, and a listener to receive them', 'deliveries');
  if (run.contact === undefined) return contactNeeded;
  const listener = await listenForDeliveries(run.settings, receivers);
  try {
    return await observeWith(run, listener, run.settings.deliveries, run.contact.phone);
  } catch (error) {
    run.settings.signal?.throwIfAborted();
    const message: unknown = Reflect.get(Object(error), 'message');
    return needing(`deliveries that can be provoked: ${typeof message === 'string' ? message : 'it failed'}`);
  } finally {
    await listener.close();
  }
}

async function observeWith(
  run: ConformanceRun,
  listener: DeliveryListener,
  deliveries: ConformanceDeliveries,
  phone: string,
) {
  const { clock } = run.settings;
  const { wait = 10_000, retryWait = 0, byHand = false, lateResponse = true } = deliveries;
  const subscriptions: Record<string, ExchangeOutcome> = {};
  const subscribe = async (names: readonly string[]) => {
    for (const name of names) {
      const events = receivers.get(name)?.events ?? [];
      subscriptions[name] = await run.subscribe({ url: listener.urlOf(name), events });
    }
  };
  await subscribe(Object.keys(accepting));
  const failed = Object.values(subscriptions).find((outcome) => !isSuccess(outcome));
  if (failed?.kind === 'not_requested') return failed;
  if (failed !== undefined)
    return needing('subscriptions that can be created with the URL of the listener', 'deliveries');

  const notTracked = await trackWhatIsNotDelivered(run, phone);
  const provokedAt: number[] = [];
  /** Provokes a delivery, and waits until each of these receivers got one more. */
  const provoke = async (body: string, ...names: readonly string[]) => {
    const wanted = names.map((name) => [name, listener.count(name) + 1] as const);
    provokedAt.push(clock.now());
    await deliveries.provoke({ phone, body });
    return listener.until(() => wanted.every(([name, count]) => listener.count(name) >= count), wait);
  };
  const texts = ['Hello', ...(byHand ? [] : Object.values(hostileTexts)), 'STOP', 'START'];
  for (const text of texts) {
    const consent = text === 'STOP' ? ['opted-out'] : text === 'START' ? ['opted-in'] : [];
    // Wait for the deliveries of STOP and START as messages, too, or they look like deliveries after the deletion.
    await provoke(text, 'received', 'received-too', ...consent);
  }
  const { received = needing('') } = subscriptions;
  const isDeleted = isSuccess(await run.unsubscribe(received));
  const before = listener.count('received');
  const hasMarker = await provoke('Hello again', 'received-too');
  const afterDeletion = isDeleted && hasMarker ? listener.count('received') - before : undefined;

  if (retryWait === 0) for (const name of Object.keys(retried)) subscriptions[name] = retriesNeeded;
  else {
    await subscribe(Object.keys(retried).filter((name) => lateResponse || name !== 'fails-late'));
    subscriptions['fails-late'] ??= lateResponseNeeded;
    await provoke('Hello once more');
    // Wait for the whole time even after the last allowed attempt, to see whether another one follows.
    await listener.until(() => false, retryWait);
  }
  for (const [receiver, created] of Object.entries(subscriptions))
    if (receiver !== 'received' || !isDeleted) await run.unsubscribe(created);
  const isTracked = ({ body }: ReceivedDelivery) =>
    body.includes(trackedMark) || body.includes(`"${eventName}"`);
  return {
    run,
    deliveries: listener.deliveries.filter((delivery) => !isTracked(delivery)),
    /** Deliveries of events that the run tracked through POST /v1/events. They are in no other list. */
    tracked: listener.deliveries.filter(isTracked),
    /** What was missing to track events; `undefined` if they were tracked. */
    notTracked,
    /** The response that created the subscription of each receiver, or what it needs. */
    subscriptions,
    /** The texts that were sent while both receivers of messages were subscribed. */
    texts,
    /** When a message was provoked, in milliseconds since the epoch. */
    provokedAt,
    /**
     * How many deliveries `received` got after its subscription was deleted. `undefined` if no other receiver got the message that
     * the run sent after the deletion.
     */
    afterDeletion,
    /** How long the run waited for the retries of failed deliveries, in milliseconds; 0 if it did not wait. */
    retryWait,
    /** Whether a person writes the messages, so that case, punctuation and the phone may be others. */
    byHand,
  };
}

/** Tracks an event with the run's name, and one with the name of an event type. Returns what is missing if it cannot. */
async function trackWhatIsNotDelivered(run: ConformanceRun, phone: string): Promise<NotChecked | undefined> {
  if (!run.settings.events) return eventsNeeded;
  const properties = { body: trackedMark };
  const outcomes = [];
  for (const event of [eventName, 'message.received']) {
    outcomes.push(await run.request(operations.events.track, { body: { event, phone, properties } }));
  }
  return outcomes.every(isSuccess) ? undefined : needing('events that the deployment accepts');
}
