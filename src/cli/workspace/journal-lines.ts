import type { EntryJson } from '../../server/http/control/entry-json.js';
import type { JourneyRunRecord } from '../../server/index.js';
import { reasonIn } from '../running-server/answers.js';
import { withoutQuery } from '../terminal/printable.js';
import { styled, type Terminal } from '../terminal/terminal.js';

/** What a line says: a word that stands out, and the rest. */
interface Said {
  readonly mark: string;
  readonly style: 'green' | 'yellow' | 'red' | 'cyan';
  readonly text: string;
}

/**
 * An entry of the journal as a person reads it: one line, the workspace's time first.
 *
 * @param shown - Masks keys, secrets and phone numbers.
 */
export function describeEntry(
  terminal: Pick<Terminal, 'colors'>,
  entry: EntryJson,
  shown: (text: string) => string,
): string {
  const { mark, style, text } = said(entry);
  const time = timeOf(entry.at).slice(0, 19).replace('T', ' ');
  return `${styled(terminal, 'dim', time)}  ${styled(terminal, style, shown(mark))}${' '.repeat(Math.max(1, 10 - mark.length))}${shown(text)}`;
}

function said(entry: EntryJson): Said {
  switch (entry.type) {
    case 'request': {
      const { status, method, path, answer = '' } = entry;
      const refused = status !== undefined && status >= 400;
      const reason = refused ? reasonIn(answer) : '';
      return {
        mark: status === undefined ? 'lost' : String(status),
        style: status === undefined || status >= 500 ? 'red' : refused ? 'yellow' : 'green',
        text: `${method} ${path}${reason && `  ${reason}`}${injected(entry.faults)}`,
      };
    }
    case 'fault': {
      const { kind } = entry.fault;
      const what =
        'event' in entry
          ? `the delivery ${entry.deliveryId} of ${entry.event}`
          : `${entry.operation} (${entry.requestId})`;
      return { mark: 'fault', style: 'yellow', text: `${kind} strikes ${what}` };
    }
    case 'send': {
      const { templateId, phone, text, journeyRunId } = entry.send;
      const by = journeyRunId === undefined ? '' : ' by a journey';
      return {
        mark: 'sent',
        style: 'green',
        text: `${templateId} to ${phone}${by}: ${JSON.stringify(text)}`,
      };
    }
    case 'event':
      return {
        mark: 'event',
        style: 'cyan',
        text: `${entry.event.event} of ${entry.phone}, ${entry.event.contactId}`,
      };
    case 'message': {
      const consent = entry.consent === undefined ? '' : `, who is now ${entry.consent}`;
      return {
        mark: 'message',
        style: 'cyan',
        text: `from ${entry.phone}${consent}: ${JSON.stringify(entry.body)}`,
      };
    }
    case 'attempt': {
      const { delivery, attempt } = entry;
      const { status, event, url, id, dueAt } = delivery;
      const answer = attempt.error ?? `the receiver answered ${attempt.status}`;
      const next = dueAt === undefined ? '' : `; the next comes at ${timeOf(dueAt)}`;
      return {
        mark: status === 'pending' ? 'retrying' : status,
        style: status === 'delivered' ? 'green' : status === 'pending' ? 'yellow' : 'red',
        text: `${event} to ${withoutQuery(url)}, attempt ${attempt.number} of ${id}: ${answer}${next}${injected(attempt.faults)}`,
      };
    }
    case 'journey':
      return journeySaid(entry.at, entry.run);
    default:
      return { mark: unknownType(entry), style: 'cyan', text: JSON.stringify(entry) };
  }
}

function journeySaid(
  at: number,
  { journeyId, contactId, status, position, dueAt, error }: JourneyRunRecord,
): Said {
  const isLater = status === 'waiting' && dueAt > at;
  const began = status === 'waiting' && position === 0;
  return {
    mark: began ? 'began' : status === 'waiting' && !isLater ? 'goes on' : status,
    style: status === 'failed' ? 'red' : isLater ? 'yellow' : 'green',
    text: `journey ${journeyId} of ${contactId}${isLater ? ` until ${timeOf(dueAt)}` : ''}${error === undefined ? '' : `: ${error}`}`,
  };
}

/** A newer server may have entries of other types. */
function unknownType(entry: never): string {
  const { type }: { readonly type?: unknown } = Object(entry);
  return String(type);
}

function injected(faults: readonly { readonly kind: string }[] = []): string {
  return faults.length === 0 ? '' : `  (injected: ${faults.map(({ kind }) => kind).join(', ')})`;
}

function timeOf(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}
