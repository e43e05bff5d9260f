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
  const journal = new Set(inJournal.map(({ messageId }) => messageId));
  const messages = [
    ...inJournal,
    ...inDeliveries(deliveries).filter(({ messageId }) => !journal.has(messageId)),
  ];
  const named = new Set(calls.flatMap((call) => (call.kind === 'message' ? call.messageId : [])));
  const open = messages.filter(({ messageId }) => !named.has(messageId));
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

/** The messages that deliveries tell of, each once. */
function inDeliveries(deliveries: readonly Delivery[]): readonly KnownMessage[] {
  const consents = new Set<string>();
  const messages = new Map<string, KnownMessage>();
  for (const { event, body } of deliveries) {
    if (event === 'message.received') continue;
    const { data }: Payload = JSON.parse(body);
    consents.add(`${event} ${data.contactId} ${Date.parse(data.occurredAt)}`);
  }
  for (const { event, body } of deliveries) {
    if (event !== 'message.received') continue;
    const { data }: Payload = JSON.parse(body);
    const { messageId, contactId, phone, body: text } = data;
    const at = Date.parse(data.receivedAt);
    const asked = text === 'START' ? 'opted_in' : text === 'STOP' ? 'opted_out' : undefined;
    const consent = consents.has(`contact.${asked} ${contactId} ${at}`) ? asked : undefined;
    messages.set(messageId, { messageId, contactId, phone, body: text, at, ...(consent && { consent }) });
  }
  return [...messages.values()];
}
