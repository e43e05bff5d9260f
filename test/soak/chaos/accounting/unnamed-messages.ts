import type { Delivery } from '../../accounting/evidence.js';
import type { Call } from '../../calls.js';

/** A message that was taken in. */
export interface KnownMessage {
  readonly messageId: string;
  readonly contactId: string;
  readonly phone: string;
  readonly body: string;
  readonly consent?: 'opted_in' | 'opted_out';
  readonly at: number;
}

/** A message that may have been taken in, whose answer was lost. */
export interface UnnamedMessage {
  readonly phone: string;
  readonly body: string;
  /** When the call began, in the order of all calls. */
  readonly from: number;
}

/**
 * Finds what became of messages whose answers were lost: by the journal, and by the deliveries of those whose process died
 * before the journal had them.
 */
export function nameMessages(
  calls: readonly Call[],
  unnamed: readonly UnnamedMessage[],
  inJournal: readonly KnownMessage[],
  deliveries: readonly Delivery[],
): { readonly messages: readonly KnownMessage[]; readonly calls: readonly Call[] } {
  const answered = new Map(
    calls.flatMap((call) => (call.kind === 'message' ? [[call.messageId, call]] : [])),
  );
  const messages = withConsent(inJournal, onlyInDeliveries(deliveries, inJournal), answered, deliveries);
  const open = messages.filter(({ messageId }) => !answered.has(messageId));
  const found = unnamed.flatMap(({ phone, body, from }): readonly Call[] => {
    const index = open.findIndex((message) => message.phone === phone && message.body === body);
    const [message] = index < 0 ? [] : open.splice(index, 1);
    if (message === undefined) return [];
    const { messageId, consent } = message;
    const call = { kind: 'message', phone, messageId, ...(consent && { consent }) } as const;
    return [{ ...call, from, to: Number.MAX_SAFE_INTEGER, outcome: 'unknown' }];
  });
  return { messages, calls: [...calls, ...found] };
}

interface Payload {
  readonly data: {
    readonly messageId: string;
    readonly contactId: string;
    readonly phone: string;
    readonly body: string;
    readonly receivedAt: string;
    readonly occurredAt: string;
  };
}

/** The messages that deliveries have and the journal does not, each once, without what they changed. */
function onlyInDeliveries(
  deliveries: readonly Delivery[],
  inJournal: readonly KnownMessage[],
): readonly KnownMessage[] {
  const messages = new Map<string, KnownMessage>();
  const journal = new Set(inJournal.map(({ messageId }) => messageId));
  for (const { event, body } of deliveries) {
    if (event !== 'message.received') continue;
    const { data }: Payload = JSON.parse(body);
    const { messageId, contactId, phone, body: text } = data;
    if (journal.has(messageId)) continue;
    messages.set(messageId, { messageId, contactId, phone, body: text, at: Date.parse(data.receivedAt) });
  }
  return [...messages.values()];
}

/**
 * Finds which of the other messages changed a consent. While a frozen clock stands still, several messages can change the same
 * one: the changes by messages of the journal, and by answered ones, are not theirs.
 */
function withConsent(
  inJournal: readonly KnownMessage[],
  others: readonly KnownMessage[],
  answered: ReadonlyMap<string, Call<'message'>>,
  deliveries: readonly Delivery[],
): readonly KnownMessage[] {
  const known = others.flatMap((message): readonly KnownMessage[] => {
    const { consent } = answered.get(message.messageId) ?? {};
    return answered.has(message.messageId) ? [{ ...message, ...(consent && { consent }) }] : [];
  });
  const changes = consentChanges(deliveries);
  for (const message of [...inJournal, ...known]) takeOne(changes, changeBy(message, message.consent));
  const unknown = others
    .filter(({ messageId }) => !answered.has(messageId))
    .map((message): KnownMessage => {
      const consent = consentsAskedFor.get(message.body);
      return takeOne(changes, changeBy(message, consent))
        ? { ...message, ...(consent && { consent }) }
        : message;
    });
  return [...inJournal, ...known, ...unknown];
}

const consentsAskedFor: ReadonlyMap<string, 'opted_in' | 'opted_out'> = new Map([
  ['START', 'opted_in'],
  ['STOP', 'opted_out'],
]);

function changeBy({ contactId, at }: KnownMessage, consent: KnownMessage['consent']): string {
  return `contact.${consent} ${contactId} ${at}`;
}

/** How many changes of consent the deliveries have, by event, contact and time. Each subscription gets every change once. */
function consentChanges(deliveries: readonly Delivery[]): Map<string, number> {
  const perSubscription = new Map<string, number>();
  const changes = new Map<string, number>();
  for (const { event, body, subscriptionId, redeliveryOf } of deliveries) {
    if (event === 'message.received' || redeliveryOf !== undefined) continue;
    const { data }: Payload = JSON.parse(body);
    const key = `${event} ${data.contactId} ${Date.parse(data.occurredAt)}`;
    const count = (perSubscription.get(`${subscriptionId} ${key}`) ?? 0) + 1;
    perSubscription.set(`${subscriptionId} ${key}`, count);
    changes.set(key, Math.max(count, changes.get(key) ?? 0));
  }
  return changes;
}

/** Whether there was one. */
function takeOne(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key) ?? 0;
  counts.set(key, count - 1);
  return count > 0;
}
