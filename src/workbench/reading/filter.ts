import type { Entry } from '../surface/entry.js';
import { contactOf } from './about.js';
import { describeEntry } from './describe-entry.js';

/** Which entries the timeline shows. The URL holds it. */
export interface Filter {
  /** The types of entries. Empty: all. */
  readonly kinds: readonly Entry['type'][];
  /** `failed`: requests, deliveries and journeys that did not succeed. */
  readonly outcome: 'all' | 'failed';
  /** The phone or the id of a contact. Empty: all. */
  readonly contact: string;
  /** Text that an entry contains. */
  readonly text: string;
  /** Shows each entry in a row of its own, also where it passes everything. */
  readonly each: boolean;
}

export const everything: Filter = { kinds: [], outcome: 'all', contact: '', text: '', each: false };

export function isEverything({ kinds, outcome, contact, text }: Filter): boolean {
  return kinds.length === 0 && outcome === 'all' && contact === '' && text === '';
}

/** Whether the filter lets an entry pass. */
export function passes({ kinds, outcome, contact, text }: Filter, entry: Entry): boolean {
  if (kinds.length > 0 && !kinds.includes(entry.type)) return false;
  if (outcome === 'failed' && describeEntry(entry).tone !== 'bad') return false;
  if (contact !== '') {
    const { phone, contactId } = contactOf(entry);
    if (phone !== contact && contactId !== contact) return false;
  }
  return text === '' || textOf(entry).includes(text.toLowerCase());
}

/** The text to search, which each entry keeps for the next search. */
const texts = new WeakMap<Entry, string>();

function textOf(entry: Entry): string {
  const kept = texts.get(entry);
  if (kept !== undefined) return kept;
  const { title, detail, outcome } = describeEntry(entry);
  const text = `${title}\n${detail}\n${outcome}\n${JSON.stringify(entry)}`.toLowerCase();
  texts.set(entry, text);
  return text;
}
