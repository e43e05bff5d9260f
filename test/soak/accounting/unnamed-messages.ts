import type { Call } from '../calls.js';
import type { Delivery, Message } from './evidence.js';

/** A message that was taken in. */
export interface KnownMessage extends Message {
  readonly phone: string;
  readonly body: string;
  readonly consent?: 'opted_in' | 'opted_out';
}

/** A message that may have been taken in, and whose response was lost. */
export interface UnnamedMessage {
  readonly phone: string;
  readonly body: string;
  /** When the call began, in the order of all calls. */
  readonly from: number;
}

const consentsAskedFor: ReadonlyMap<string, KnownMessage['consent']> = new Map([
  ['START', 'opted_in'],
  ['STOP', 'opted_out'],
]);

/**
 * Finds what became of messages whose responses were lost: by the journal, and by the deliveries of those whose process died
 * before the journal had them.
 */
export function nameMessages(
  calls: readonly Call[],
  unnamed: readonly UnnamedMessage[],
  inJournal: readonly KnownMessage[],
  deliveries: readonly Delivery[],
): { readonly messages: readonly Message[]; readonly calls: readonly Call[] } {
  const known = new Set(inJournal.map(({ messageId }) => messageId));
  const others = messagesIn(deliveries).filter(({ messageId }) => !known.has(messageId));
  const messages = [...inJournal, ...others];
  const responded = new Set(calls.flatMap((call) => (call.kind === 'message' ? [call.messageId] : [])));
  const open = messages.filter(({ messageId }) => !responded.has(messageId));
  const found = unnamed.flatMap(({ phone, body, from }): readonly Call[] => {
    const index = open.findIndex((message) => message.phone === phone && message.body === body);
    const [message] = index < 0 ? [] : open.splice(index, 1);
    if (message === undefined) return [];
    const { messageId } = message;
    const isKnown = known.has(messageId);
    const consent = isKnown ? message.consent : consentsAskedFor.get(body);
    return [
      {
        kind: 'message',
        phone,
        messageId,
        ...(consent && { consent }),
        ...(!isKnown && { consentIsUnsure: true }),
        from,
        to: Number.MAX_SAFE_INTEGER,
        outcome: 'unknown',
      },
    ];
  });
  return { messages, calls: [...calls, ...found] };
}

/** The messages that deliveries carry, each once. */
function messagesIn(deliveries: readonly Delivery[]): readonly KnownMessage[] {
  const messages = deliveries.flatMap(({ event, body }) => {
    if (event !== 'message.received') return [];
    const { data }: { readonly data: Omit<KnownMessage, 'at'> & { readonly receivedAt: string } } =
      JSON.parse(body);
    return [{ ...data, at: Date.parse(data.receivedAt) }];
  });
  return [...new Map(messages.map((message) => [message.messageId, message])).values()];
}
