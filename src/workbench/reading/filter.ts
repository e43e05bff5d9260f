import type { Entry } from '../surface/entry.js';
import { contactOf, describeEntry } from './describe-entry.js';

/** Which entries the timeline shows: the parameters of its URL. An empty one lets everything pass. */
export interface Filter {
  /** The types of entries, separated by commas. */
  readonly kind: string;
  /** `failed`: requests, deliveries and journeys that did not succeed. */
  readonly outcome: string;
  /** The phone or the id of a contact. */
  readonly contact: string;
  /** Text that an entry contains. */
  readonly text: string;
  /** Not empty: shows each entry in a row of its own, also where everything passes. */
  readonly each: string;
}

export const everything: Filter = { kind: '', outcome: '', contact: '', text: '', each: '' };

export function isEverything({ kind, outcome, contact, text }: Filter): boolean {
  return kind + outcome + contact + text === '';
}

/** Whether the filter lets an entry pass. */
export function passes({ kind, outcome, contact, text }: Filter, entry: Entry): boolean {
  if (kind !== '' && !kind.split(',').includes(entry.type)) return false;
  if (outcome !== '' && describeEntry(entry).tone !== 'bad') return false;
  if (contact !== '') {
    const { phone, contactId } = contactOf(entry);
    if (phone !== contact && contactId !== contact) return false;
  }
  return text === '' || textOf(entry).includes(text.toLowerCase());
}

/** Returns whether the filter lets an entry pass. Looks at each entry once, however often it is asked. */
export function passingOnce(filter: Filter): (entry: Entry) => boolean {
  const known = new WeakMap<Entry, boolean>();
  return (entry) => {
    const isPassing = known.get(entry) ?? passes(filter, entry);
    known.set(entry, isPassing);
    return isPassing;
  };
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
