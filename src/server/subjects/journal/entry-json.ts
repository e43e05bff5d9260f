import {
  type AttemptEntry,
  type JournalEntry,
  type RequestEntry,
  readable,
} from '../../model/journal-entry.js';
import type { DeliveryRecord } from '../../model/records.js';
import type { DeliverySnapshot } from '../../workspace/state-schema.js';

/** An entry of the journal as the control surface returns it: with its number, and with bodies as text. */
export type EntryJson = EntryContentJson & { readonly number: number };

/** The content of an entry, without its number. */
export type EntryContentJson =
  | Exclude<JournalEntry, RequestEntry | AttemptEntry>
  | (Omit<RequestEntry, 'body'> & { readonly body?: string })
  | (Omit<AttemptEntry, 'delivery'> & { readonly delivery: DeliverySnapshot });

const utf8 = new TextDecoder();

/** Converts a delivery for JSON, with its bytes as text. */
export function deliveryAsJson(delivery: DeliveryRecord): DeliverySnapshot {
  const { bodyText: body, ...others } = readable(delivery);
  return { ...others, body };
}

/** Converts an entry for JSON: its bytes become text. */
export function entryAsJson(entry: JournalEntry): EntryContentJson {
  switch (entry.type) {
    case 'request': {
      const { body, ...others } = entry;
      return { ...others, ...(body && { body: utf8.decode(body) }) };
    }
    case 'attempt':
      return { ...entry, delivery: deliveryAsJson(entry.delivery) };
    default:
      return entry;
  }
}
