import type { Delivery, Entry, EntryOf, JourneyRun } from '../surface/entry.js';
import { eventIn } from './about.js';
import { inWords, type Tone } from './describe-entry.js';

/** A template message. */
export type Send = EntryOf<'send'>['send'];

/** An item in the conversation with a contact. `entry` is its number in the journal, if the journal contains it. */
export type Turn = {
  readonly key: string;
  readonly at: number;
  readonly entry?: number;
} & (
  | { readonly kind: 'sent'; readonly send: Send }
  | { readonly kind: 'wrote'; readonly text: string; readonly deliveries: readonly DeliveredTurn[] }
  /** A line in the middle. */
  | { readonly kind: 'note'; readonly text: string; readonly tone: Tone }
);

/** A delivery of a message, and the journal's number of its last attempt. */
export interface DeliveredTurn {
  readonly delivery: Delivery;
  readonly entry?: number;
}

/** From where a conversation comes. */
export interface Sources {
  /** The journal, oldest first. */
  readonly entries: readonly Entry[];
  /** What the server still knows from before its journal began. */
  readonly earlier?: { readonly sends: readonly Send[]; readonly deliveries: readonly Delivery[] };
  /** The deliveries that are to be attempted. */
  readonly pending?: readonly Delivery[];
}

/** The conversation with a contact, oldest first. */
export function conversationOf(contactId: string, sources: Sources): readonly Turn[] {
  const { entries, earlier = { sends: [], deliveries: [] }, pending = [] } = sources;
  const deliveries = new Map<string, Map<string, DeliveredTurn>>();
  const keep = (delivery: Delivery, entry?: number) => {
    const { messageId, contactId: whose } = eventIn(delivery).data;
    if (whose !== contactId || typeof messageId !== 'string' || delivery.event !== 'message.received') return;
    const ofMessage = deliveries.get(messageId) ?? new Map<string, DeliveredTurn>();
    ofMessage.set(delivery.id, { delivery, ...(entry !== undefined && { entry }) });
    deliveries.set(messageId, ofMessage);
  };
  for (const delivery of earlier.deliveries) keep(delivery);
  for (const delivery of pending) keep(delivery);
  for (const entry of entries) if (entry.type === 'attempt') keep(entry.delivery, entry.number);

  const here = entries.flatMap((entry) => turnsOf(entry, contactId, deliveries));
  const known = new Set(here.map(({ key }) => key));
  const before = [
    ...earlier.sends.filter((send) => send.contactId === contactId).map((send) => sent(send)),
    ...[...deliveries].map(([messageId, ofMessage]) => wroteEarlier(messageId, [...ofMessage.values()])),
  ].filter(({ key }) => !known.has(key));
  return [...before.sort((one, other) => one.at - other.at), ...here];
}

function turnsOf(
  entry: Entry,
  contactId: string,
  deliveries: ReadonlyMap<string, ReadonlyMap<string, DeliveredTurn>>,
): readonly Turn[] {
  const { at, number } = entry;
  const note = (text: string, tone: Tone = 'plain'): Turn => ({
    kind: 'note',
    key: `note ${number}`,
    at,
    entry: number,
    text,
    tone,
  });
  switch (entry.type) {
    case 'send':
      return entry.send.contactId === contactId ? [sent(entry.send, number)] : [];
    case 'message': {
      if (entry.contactId !== contactId) return [];
      const { messageId, body: text, consent } = entry;
      const ofMessage = [...(deliveries.get(messageId)?.values() ?? [])];
      return [
        { kind: 'wrote', key: messageId, at, entry: number, text, deliveries: ofMessage },
        ...(consent === undefined ? [] : [note(inWords(consent))]),
      ];
    }
    case 'event':
      return entry.event.contactId === contactId ? [note(`event ${entry.event.event}`)] : [];
    case 'journey':
      return entry.run.contactId === contactId ? journeyNotes(entry.run, note) : [];
    default:
      return [];
  }
}

function journeyNotes(run: JourneyRun, note: (text: string, tone?: Tone) => Turn): readonly Turn[] {
  const { journeyId, status, position, error = '' } = run;
  if (status === 'finished') return [note(`journey ${journeyId} ended`)];
  if (status === 'failed') return [note(`journey ${journeyId} failed: ${error}`, 'bad')];
  return position === 0 ? [note(`journey ${journeyId} began`)] : [];
}

function sent(send: Send, entry?: number): Turn {
  return { kind: 'sent', key: send.id, at: send.sentAt, send, ...(entry !== undefined && { entry }) };
}

function wroteEarlier(messageId: string, deliveries: readonly DeliveredTurn[]): Turn {
  const [first] = deliveries;
  const body = first && eventIn(first.delivery).data.body;
  const at = first?.delivery.createdAt ?? 0;
  return { kind: 'wrote', key: messageId, at, text: typeof body === 'string' ? body : '', deliveries };
}
