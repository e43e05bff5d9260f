import { type Call, callsOf } from '../calls.js';
import type { Delivery, Message } from './evidence.js';
import { countBy, repeated } from './records.js';
import { deliveriesTo, type KnownSubscription } from './subscriptions.js';

/** What the deliveries of a workspace are held against. */
export interface Causes {
  readonly calls: readonly Call[];
  readonly messages: readonly Message[];
  readonly subscriptions: ReadonlyMap<string, KnownSubscription>;
}

/** Holds each delivery against what caused it: one for each event and each subscription that wanted it, and no other. */
export function problemsWithCauses(deliveries: readonly Delivery[], causes: Causes): readonly string[] {
  const found = countBy(deliveries, (delivery) =>
    keyOf(delivery.subscriptionId, delivery.event, identityOf(delivery)),
  );
  const wanted = wantedDeliveries(causes);
  const problems = repeated(deliveries, ({ id }) => id).map((id) => `the delivery ${id} is there twice`);
  for (const [key, { least }] of wanted) {
    const count = found.get(key) ?? 0;
    if (count < least) {
      problems.push(`${least} of ${inWords(key)} were to be delivered and ${count} are: lost`);
    }
  }
  for (const [key, count] of found) {
    const most = wanted.get(key)?.most ?? 0;
    if (count > most)
      problems.push(`${count} of ${inWords(key)} are there, and ${most} had a cause: invented`);
  }
  for (const { subscriptionId, id } of deliveries) {
    if (!causes.subscriptions.has(subscriptionId)) {
      problems.push(`the delivery ${id} goes to a subscription that nobody made`);
    }
  }
  return problems;
}

/** By subscription, event type and identity, how many deliveries there should be. */
function wantedDeliveries({ calls, messages, subscriptions }: Causes) {
  const journal = new Map(messages.map((message) => [message.messageId, message]));
  const wanted = new Map<string, { least: number; most: number }>();
  for (const call of callsOf(calls, 'message')) {
    const message = journal.get(call.messageId);
    if (message === undefined) continue;
    const events = [
      ['message.received', call.messageId],
      ...(call.consent ? [[`contact.${call.consent}`, consentIdentity(message.contactId, message.at)]] : []),
    ] as const;
    for (const subscription of subscriptions.values()) {
      for (const [event, identity] of events) {
        const { least, most } = deliveriesTo(subscription, event ?? '', call);
        const key = keyOf(subscription.id, event ?? '', identity ?? '');
        // A consent may change to and fro while a frozen clock stands still: those events are alike.
        const sum = wanted.get(key) ?? { least: 0, most: 0 };
        const isUnsure = call.consentIsUnsure && event !== 'message.received';
        wanted.set(key, { least: sum.least + (isUnsure ? 0 : least), most: sum.most + most });
      }
    }
  }
  return wanted;
}

/** What the event that a delivery carries is known by. */
function identityOf({ event, body }: Delivery): string {
  const data = Object(Reflect.get(Object(JSON.parse(body)), 'data'));
  return event === 'message.received'
    ? String(Reflect.get(data, 'messageId'))
    : consentIdentity(
        String(Reflect.get(data, 'contactId')),
        Date.parse(String(Reflect.get(data, 'occurredAt'))),
      );
}

function consentIdentity(contactId: string, at: number): string {
  return `${contactId}@${at}`;
}

function keyOf(subscriptionId: string, event: string, identity: string): string {
  return `${subscriptionId} ${event} ${identity}`;
}

function inWords(key: string): string {
  const [subscriptionId, event, identity] = key.split(' ');
  return `the ${event} ${identity} to ${subscriptionId}`;
}
