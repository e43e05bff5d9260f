import type { EntryJson } from '../../server/subjects/journal/entry-json.js';
import { reasonIn } from '../running-server/responses.js';
import { styled, type Terminal, withoutQuery } from '../terminal/terminal.js';

/** What a line says: a word that stands out, its style, and the rest. */
type Said = readonly [mark: string, style: 'green' | 'yellow' | 'red' | 'cyan', text: string];

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
  const [mark, style, text] = said(entry);
  const time = timeOf(entry.at).slice(0, 19).replace('T', ' ');
  return `${styled(terminal, 'dim', time)}  ${styled(terminal, style, shown(mark))}${' '.repeat(Math.max(1, 10 - mark.length))}${shown(text)}`;
}

function said(entry: EntryJson): Said {
  switch (entry.type) {
    case 'request': {
      const { status, method, path, responseBody: response = '' } = entry;
      const mark = status === undefined ? 'lost' : String(status);
      const refused = status !== undefined && status >= 400;
      const style = status === undefined || status >= 500 ? 'red' : refused ? 'yellow' : 'green';
      const reason = refused ? reasonIn(response) : '';
      return [mark, style, `${method} ${path}${reason && `  ${reason}`}${injected(entry.faults)}`];
    }
    case 'fault': {
      const { kind } = entry.fault;
      const what =
        'event' in entry
          ? `the delivery ${entry.deliveryId} of ${entry.event}`
          : `${entry.operation} (${entry.requestId})`;
      return ['fault', 'yellow', `${kind} injected into ${what}`];
    }
    case 'send': {
      const { templateId, phone, text, journeyRunId } = entry.send;
      const by = journeyRunId === undefined ? '' : ' by a journey';
      return ['sent', 'green', `${templateId} to ${phone}${by}: ${JSON.stringify(text)}`];
    }
    case 'event':
      return ['event', 'cyan', `${entry.event.event} of ${entry.phone}, ${entry.event.contactId}`];
    case 'message': {
      const consent = entry.consent === undefined ? '' : `, who is now ${entry.consent}`;
      return ['message', 'cyan', `from ${entry.phone}${consent}: ${JSON.stringify(entry.body)}`];
    }
    case 'attempt': {
      const { delivery, attempt } = entry;
      const { status, event, url, id, dueAt } = delivery;
      const response = attempt.error ?? `the receiver responded with ${attempt.status}`;
      const next = dueAt === undefined ? '' : `; the next comes at ${timeOf(dueAt)}`;
      const what = `${event} to ${withoutQuery(url)}, attempt ${attempt.number} of ${id}`;
      const text = `${what}: ${response}${next}${injected(attempt.faults)}`;
      if (status === 'pending') return ['retrying', 'yellow', text];
      return [status, status === 'delivered' ? 'green' : 'red', text];
    }
    case 'journey': {
      const { journeyId, contactId, status, position, dueAt, error } = entry.run;
      const waits = status === 'waiting';
      const isLater = waits && dueAt > entry.at;
      const until = isLater ? ` until ${timeOf(dueAt)}` : '';
      const mark = waits && position === 0 ? 'began' : waits && !isLater ? 'goes on' : status;
      const style = status === 'failed' ? 'red' : isLater ? 'yellow' : 'green';
      return [
        mark,
        style,
        `journey ${journeyId} of ${contactId}${until}${error === undefined ? '' : `: ${error}`}`,
      ];
    }
    case 'change': {
      const { operation, arguments: given = [] } = entry;
      return ['changed', 'yellow', `${operation}(${given.map((each) => JSON.stringify(each)).join(', ')})`];
    }
    default:
      return [unknownType(entry), 'cyan', JSON.stringify(entry)];
  }
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
