import type { AttemptEntry, JournalEntry, RequestEntry } from '../../model/journal-entry.js';
import type { DeliverySnapshot } from '../../workspace/state-schema.js';

/** An entry of the journal as the control surface returns it: with its number, and with bodies as text. */
export type EntryJson = EntryContentJson & { readonly number: number };

/** The content of an entry, without its number. */
export type EntryContentJson =
  | Exclude<JournalEntry, RequestEntry | AttemptEntry>
  | (Omit<RequestEntry, 'body'> & { readonly body?: string })
  | (Omit<AttemptEntry, 'delivery'> & { readonly delivery: DeliverySnapshot });
