import { type JournalEntry, readable } from '../../model/journal-entry.js';
import type { DeliveryRecord } from '../../model/records.js';
import type { DeliverySnapshot } from '../../workspace/state-schema.js';
import type { EntryContentJson } from './entry-json.js';

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
