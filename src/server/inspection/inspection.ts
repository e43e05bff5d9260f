import { maskPhone } from '../../contract/phone.js';
import { type EntryNames, namesOf } from '../model/entry-names.js';
import type { JournalEntry } from '../model/journal-entry.js';
import type { Remedy } from '../model/remedy.js';
import { eventDataIn } from './code.js';

/** An entry of the journal with its number. */
export type NumberedEntry = JournalEntry & {
  /** 1 for the first entry of the workspace. */
  readonly number: number;
};

/**
 * Text that reproduces an entry of the journal, ready to run. No text contains an API key or a signing secret.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
 * const { copies } = await server.journal.inspect(1);
 * console.log(copies.test.includes("server.contact('+15551234567').says('Hello')")); // true
 * ```
 */
export type EntryCopies = {
  /** A curl command that repeats the entry. It reads the key from `MESSAGING_AUTOMATION_API_KEY`. */
  readonly curl: string;
  /**
   * A program that repeats the entry. For what the client does, it calls this server, with the key and the URL in
   * `MESSAGING_AUTOMATION_API_KEY` and `MESSAGING_AUTOMATION_BASE_URL`. For everything else, it has a server of its own.
   */
  readonly code: string;
  /**
   * A test for Vitest that repeats the entry and asserts that it happens. It has a workspace of its own with what the entry
   * uses, as it was before, and responds for the receivers. It needs no file and no network.
   */
  readonly test: string;
};

/** An entry of the journal, with what caused it and what it caused. */
export type EntryInspection = {
  readonly number: number;
  readonly entry: NumberedEntry;
  /** The entries that caused it and that are still in the journal. */
  readonly causes: readonly NumberedEntry[];
  /** The first 50 entries that it caused, oldest first. */
  readonly effects: readonly NumberedEntry[];
  readonly copies: EntryCopies;
  /** What removes the reason of a failed request and sends it again, if the reason is in the workspace. */
  readonly remedy?: Remedy;
};

/** The largest number of listed effects. */
const mostListed = 50;

/** Finds the causes and effects of an entry in the journal. The first entry of a journey run or delivery has its cause. */
export function relationsOf(
  entry: NumberedEntry,
  journal: readonly NumberedEntry[],
): Pick<EntryInspection, 'causes' | 'effects'> {
  const { own, cause } = linksOf(entry);
  const causes: NumberedEntry[] = [];
  const effects: NumberedEntry[] = [];
  for (const other of journal) {
    if (other.number === entry.number) continue;
    const names = linksOf(other);
    if (cause !== undefined && causes.length === 0 && names.own.includes(cause)) causes.push(other);
    const isEffect = names.cause !== undefined && own.includes(names.cause);
    if (isEffect && effects.length < mostListed) effects.push(other);
  }
  return { causes, effects };
}

/** Returns the names that link an entry to others. */
export function linksOf(entry: NumberedEntry): EntryNames {
  return namesOf(entry, entry.type === 'attempt' ? eventDataIn(entry.delivery) : undefined);
}

/** Describes an entry in one line, for an error or a title. */
export function describeEntry(entry: JournalEntry): string {
  switch (entry.type) {
    case 'request':
      return `${entry.operation}, ${entry.status === undefined ? 'no response' : `responded with ${entry.status}`}`;
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
    case 'change':
      return `change ${entry.operation}`;
  }
}
