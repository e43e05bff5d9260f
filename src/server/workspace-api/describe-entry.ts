import { maskPhone } from '../../contract/phone.js';
import type { JournalEntry } from '../model/journal-entry.js';

/** Describes an entry in one line, for an error. */
export function describeEntry(entry: JournalEntry): string {
  switch (entry.type) {
    case 'request':
      return `${entry.operation}, ${entry.status === undefined ? 'not answered' : `answered ${entry.status}`}`;
    case 'fault':
      return `${entry.fault.kind} of ${'event' in entry ? `a ${entry.event}` : entry.operation}`;
    case 'send':
      return `send of ${JSON.stringify(entry.send.templateId)} to ${maskPhone(entry.send.phone)}`;
    case 'event':
      return `event ${JSON.stringify(entry.event.event)} of ${entry.event.contactId}`;
    case 'message':
      return `message from ${maskPhone(entry.phone)}`;
    case 'attempt':
      return `attempt ${entry.attempt.number} at a ${entry.delivery.event}, now ${entry.delivery.status}`;
    case 'journey':
      return `journey ${JSON.stringify(entry.run.journeyId)} of ${entry.run.contactId}, ${entry.run.status}`;
  }
}
