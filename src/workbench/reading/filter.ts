import type { EntryJson } from '../surface/entry.js';
import { contactOf, describeEntry } from './describe-entry.js';
import { folded } from './foreign-text.js';
import type { Person } from './people.js';

/** Which entries the timeline shows: the parameters of its URL. An empty one lets everything pass. */
export interface Filter {
  /** The types of entries, separated by commas. */
  readonly kind: string;
  /** `failed`: requests, deliveries and journeys that did not succeed. */
  readonly outcome: string;
  /** The phone or the id of a contact. */
  readonly contact: string;
  /** Text that an entry or the name of its contact contains, in any case and with any accents. */
  readonly text: string;
  /** Not empty: shows each entry in a row of its own, also where everything passes. */
  readonly each: string;
}

export const everything: Filter = { kind: '', outcome: '', contact: '', text: '', each: '' };

export function isEverything({ kind, outcome, contact, text }: Filter): boolean {
  return kind + outcome + contact + text === '';
}

/** Whether the filter lets an entry pass. `whose` says whose the entry is, also where the entry itself does not. */
export function passes(
  { kind, outcome, contact, text }: Filter,
  entry: EntryJson,
  whose: (entry: EntryJson) => Person | undefined,
): boolean {
  if (kind !== '' && !kind.split(',').includes(entry.type)) return false;
  if (outcome !== '' && describeEntry(entry).tone !== 'bad') return false;
  if (contact !== '' && !namesOf(entry, whose(entry)).includes(contact)) return false;
  if (text === '') return true;
  const searched = folded(text);
  return (
    textOf(entry).includes(searched) || folded(namesOf(entry, whose(entry)).join('\n')).includes(searched)
  );
}

/** Returns whether the filter lets an entry pass. Looks at each entry once, however often it is asked. */
export function passingOnce(
  filter: Filter,
  whose: (entry: EntryJson) => Person | undefined,
): (entry: EntryJson) => boolean {
  const known = new WeakMap<EntryJson, boolean>();
  return (entry) => {
    const isPassing = known.get(entry) ?? passes(filter, entry, whose);
    known.set(entry, isPassing);
    return isPassing;
  };
}

/** What names the contact of an entry: the id, the phone and the name. */
function namesOf(entry: EntryJson, person: Person | undefined): readonly (string | undefined)[] {
  const { phone, contactId } = contactOf(entry);
  return [phone, contactId, person?.id, person?.phone, person?.name];
}

/** The text to search, which each entry keeps for the next search. */
const texts = new WeakMap<EntryJson, string>();

function textOf(entry: EntryJson): string {
  const kept = texts.get(entry);
  if (kept !== undefined) return kept;
  const { title, detail, outcome } = describeEntry(entry);
  const text = folded(`${title}\n${detail}\n${outcome}\n${JSON.stringify(entry)}`);
  texts.set(entry, text);
  return text;
}
