import type { ServerLogEntry } from '../../server/index.js';
import { styled, type Terminal } from '../terminal/terminal.js';

/** A log entry as one line of text. */
export function describeLogEntry(terminal: Terminal, entry: ServerLogEntry): string {
  const time = styled(terminal, 'dim', entry.time.slice(11, 19));
  switch (entry.type) {
    case 'request':
      return `${time}  ${coloredStatus(terminal, entry.status)}  ${entry.method.padEnd(6)} ${entry.path}${entry.error === undefined ? '' : `  ${entry.error}`}${injected(entry.faults)}`;
    case 'send':
      return `${time}  ${styled(terminal, 'green', 'sent')} ${entry.templateId} to ${entry.phone}${entry.journeyRunId === undefined ? '' : ' by a journey'}`;
    case 'event':
      return `${time}  event ${entry.event} of ${entry.contactId}`;
    case 'message':
      return `${time}  message from ${entry.phone}${entry.consent === undefined ? '' : `, who is now ${entry.consent}`}`;
    case 'notice':
      return `${time}  ${styled(terminal, 'yellow', 'note')} ${entry.message}`;
    case 'delivery': {
      const response = entry.error ?? `the receiver responded with ${entry.status}`;
      const color = entry.outcome === 'delivered' ? 'green' : entry.outcome === 'retrying' ? 'yellow' : 'red';
      const outcome = styled(terminal, color, entry.outcome);
      const next = entry.nextAttempt === undefined ? '' : `; the next comes at ${entry.nextAttempt}`;
      return `${time}  ${outcome} ${entry.event}, attempt ${entry.attempt}: ${response}${next}${injected(entry.faults)}`;
    }
    case 'journey': {
      const color = entry.outcome === 'failed' ? 'red' : entry.outcome === 'waiting' ? 'yellow' : 'green';
      const detail = entry.error === undefined ? '' : `: ${entry.error}`;
      const until = entry.until === undefined ? '' : ` until ${entry.until}`;
      return `${time}  ${styled(terminal, color, entry.outcome)} journey ${entry.journeyId}${until}${detail}`;
    }
    case 'error':
      return `${time}  ${styled(terminal, 'red', 'error')} ${entry.message}`;
  }
}

function injected(faults: readonly string[] = []): string {
  return faults.length === 0 ? '' : `  (injected: ${faults.join(', ')})`;
}

function coloredStatus(terminal: Terminal, status: number | undefined): string {
  if (status === undefined) return styled(terminal, 'red', '---');
  return styled(terminal, status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status));
}
