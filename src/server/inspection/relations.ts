import type { Delivery } from '../model/delivery.js';
import type { NumberedEntry } from './inspection.js';
import { eventDataIn, textIn } from './json-text.js';

/** The names under which an entry can be known to others, and the name of what caused it. */
interface Names {
  readonly own: readonly string[];
  readonly cause: string | undefined;
}

function namesOf(entry: NumberedEntry): Names {
  switch (entry.type) {
    case 'request':
      return { own: [entry.requestId], cause: undefined };
    case 'message': {
      const { messageId, consent, at } = entry;
      const change = consent && changeOfConsent(`contact.${consent}`, new Date(at).toISOString());
      return { own: [messageId, ...(change === undefined ? [] : [change])], cause: undefined };
    }
    case 'event':
      return { own: [entry.event.id], cause: entry.requestId };
    case 'journey':
      return { own: [entry.run.id], cause: entry.run.eventId };
    case 'send':
      return { own: [entry.send.id], cause: entry.send.journeyRunId ?? entry.requestId };
    case 'attempt':
      return { own: [entry.delivery.id], cause: causeOfDelivery(entry.delivery) };
    case 'fault':
      return { own: [], cause: 'requestId' in entry ? entry.requestId : entry.deliveryId };
  }
}

function causeOfDelivery(delivery: Delivery): string | undefined {
  const data = eventDataIn(delivery);
  const occurredAt = textIn(data, 'occurredAt');
  return (
    textIn(data, 'messageId') ??
    (occurredAt === undefined ? undefined : changeOfConsent(delivery.event, occurredAt))
  );
}

/** The data of a consent event names no message, but its moment. */
function changeOfConsent(event: string, occurredAt: string): string {
  return `${event} ${occurredAt}`;
}

/** What caused an entry, and what the entry caused, oldest first. */
export interface Relations {
  readonly causes: readonly NumberedEntry[];
  readonly effects: readonly NumberedEntry[];
}

/** The most effects that are listed. */
const mostListed = 50;

/** Finds both in the journal. Of a journey or a delivery with several entries, the first stands for its cause. */
export function relationsOf(entry: NumberedEntry, journal: readonly NumberedEntry[]): Relations {
  const { own, cause } = namesOf(entry);
  const causes: NumberedEntry[] = [];
  const effects: NumberedEntry[] = [];
  for (const other of journal) {
    if (other.number === entry.number) continue;
    const names = namesOf(other);
    if (cause !== undefined && causes.length === 0 && names.own.includes(cause)) causes.push(other);
    const isEffect = names.cause !== undefined && own.includes(names.cause);
    if (isEffect && effects.length < mostListed) effects.push(other);
  }
  return { causes, effects };
}
