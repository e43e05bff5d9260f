import type { Entry } from '../surface/entry.js';
import { eventIn } from './about.js';

/** The names under which an entry can be known to others, and the names of what caused it. */
interface Names {
  readonly own: readonly string[];
  readonly cause: string | undefined;
}

function namesOf(entry: Entry): Names {
  switch (entry.type) {
    case 'request':
      return { own: [entry.requestId], cause: undefined };
    case 'message':
      return { own: [entry.messageId], cause: undefined };
    case 'event':
      return { own: [entry.event.id], cause: entry.requestId };
    case 'journey':
      return { own: [entry.run.id], cause: entry.run.eventId };
    case 'send':
      return { own: [entry.send.id], cause: entry.send.journeyRunId ?? entry.requestId };
    case 'attempt': {
      const { messageId } = eventIn(entry.delivery).data;
      return { own: [entry.delivery.id], cause: typeof messageId === 'string' ? messageId : undefined };
    }
    case 'fault':
      return { own: [], cause: 'requestId' in entry ? entry.requestId : entry.deliveryId };
  }
}

/** What caused an entry, and what the entry caused, oldest first. */
export interface Relations {
  readonly causes: readonly Entry[];
  readonly effects: readonly Entry[];
}

/** The most effects that the page lists. */
const mostListed = 50;

/** Finds both in the journal. Of a journey or a delivery with several entries, the first stands for its cause. */
export function relationsOf(entry: Entry, journal: readonly Entry[]): Relations {
  const { own, cause } = namesOf(entry);
  const causes: Entry[] = [];
  const effects: Entry[] = [];
  for (const other of journal) {
    if (other === entry) continue;
    const names = namesOf(other);
    if (cause !== undefined && causes.length === 0 && names.own.includes(cause)) causes.push(other);
    const isEffect = names.cause !== undefined && own.includes(names.cause);
    if (isEffect && effects.length < mostListed) effects.push(other);
  }
  return { causes, effects };
}
