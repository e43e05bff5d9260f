import type { DeliverySnapshot, EntryJson, EntryJsonOf, JourneyRunRecord } from '../surface/entry.js';
import { inWords } from './contract-words.js';
import { dataIn, type Tone } from './describe-entry.js';

/** A template message. */
export type Send = EntryJsonOf<'send'>['send'];

/** An item in the conversation with a contact. `entry` is its number in the journal, if the journal contains it. */
export type Turn = {
  readonly key: string;
  readonly at: number;
  readonly entry?: number | undefined;
  readonly text: string;
} & (
  | { readonly kind: 'sent'; readonly send: Send }
  | { readonly kind: 'wrote'; readonly deliveries: readonly DeliverySnapshot[] }
  /** A line in the middle. */
  | { readonly kind: 'note'; readonly tone: Tone }
);

/** From where a conversation comes. */
export interface Sources {
  /** The journal, oldest first. */
  readonly entries: readonly EntryJson[];
  /** What the server still knows from before its journal began. */
  readonly sends?: readonly Send[];
  /** All known deliveries. Of a delivery that is in it twice, the later one counts. */
  readonly deliveries?: readonly DeliverySnapshot[];
}

/** The deliveries of each message. */
type Deliveries = ReadonlyMap<string, readonly DeliverySnapshot[]>;

/** The conversation with a contact, oldest first. */
export function conversationOf(contactId: string, sources: Sources): readonly Turn[] {
  const { entries, sends = [], deliveries: known = [] } = sources;
  const deliveries = new Map<string, DeliverySnapshot[]>();
  for (const delivery of new Map(known.map((each) => [each.id, each])).values()) {
    const { messageId, contactId: whose } = dataIn(delivery);
    if (whose !== contactId || typeof messageId !== 'string' || delivery.event !== 'message.received')
      continue;
    deliveries.set(messageId, [...(deliveries.get(messageId) ?? []), delivery]);
  }
  const here = entries.flatMap((entry) => turnsOf(entry, contactId, deliveries));
  const keys = new Set(here.map(({ key }) => key));
  const before = [
    ...sends.filter((send) => send.contactId === contactId).map((send) => sent(send)),
    ...[...deliveries].map(([messageId, ofMessage]) => wroteEarlier(messageId, ofMessage)),
  ].filter(({ key }) => !keys.has(key));
  return [...before.sort((one, other) => one.at - other.at), ...here];
}

function turnsOf(entry: EntryJson, contactId: string, deliveries: Deliveries): readonly Turn[] {
  const { at, number } = entry;
  const note = (text: string, tone: Tone = 'plain'): Turn => {
    return { kind: 'note', key: `note ${number}`, at, entry: number, text, tone };
  };
  switch (entry.type) {
    case 'send':
      return entry.send.contactId === contactId ? [sent(entry.send, number)] : [];
    case 'message': {
      if (entry.contactId !== contactId) return [];
      const { messageId, body: text, consent } = entry;
      const ofMessage = deliveries.get(messageId) ?? [];
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

function journeyNotes(run: JourneyRunRecord, note: (text: string, tone?: Tone) => Turn): readonly Turn[] {
  const { journeyId, status, position, error = '' } = run;
  if (status === 'finished') return [note(`journey ${journeyId} ended`)];
  if (status === 'failed') return [note(`journey ${journeyId} failed: ${error}`, 'bad')];
  return position === 0 ? [note(`journey ${journeyId} began`)] : [];
}

function sent(send: Send, entry?: number): Turn {
  return { kind: 'sent', key: send.id, at: send.sentAt, entry, text: send.text, send };
}

function wroteEarlier(messageId: string, deliveries: readonly DeliverySnapshot[]): Turn {
  const [first] = deliveries;
  const body = first && dataIn(first).body;
  const at = first?.createdAt ?? 0;
  return { kind: 'wrote', key: messageId, at, text: typeof body === 'string' ? body : '', deliveries };
}
