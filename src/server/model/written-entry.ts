import type { Bytes } from '../../foundation/bytes.js';
import { type AttemptEntry, type JournalEntry, type RequestEntry, readable } from './journal-entry.js';
import type { DeliveryRecord } from './records.js';

/** An entry of the journal as plain data, with its bytes in base64. */
export type WrittenEntry =
  | Exclude<JournalEntry, RequestEntry | AttemptEntry>
  | WrittenRequest
  | (Omit<AttemptEntry, 'delivery'> & { readonly delivery: WrittenDelivery });

type WrittenRequest = Omit<RequestEntry, 'body'> & { readonly body?: string };
type WrittenDelivery = Omit<DeliveryRecord, 'body'> & { readonly body: string };

export function writeEntry(entry: JournalEntry): WrittenEntry {
  switch (entry.type) {
    case 'request': {
      const { body, ...rest } = entry;
      return { ...rest, ...(body && { body: toBase64(body) }) };
    }
    case 'attempt': {
      // Its bytes can be read, but not enumerated.
      const { bodyText: _, ...delivery } = entry.delivery;
      return { ...entry, delivery: { ...delivery, body: toBase64(entry.delivery.body) } };
    }
    default:
      return entry;
  }
}

export function readEntry(entry: WrittenEntry): JournalEntry {
  switch (entry.type) {
    case 'request': {
      const { body, ...rest } = entry;
      return body === undefined ? rest : { ...rest, body: toBytes(body) };
    }
    case 'attempt': {
      const { body, ...delivery } = entry.delivery;
      return { ...entry, delivery: readable({ ...delivery, body: toBytes(body) }) };
    }
    default:
      return entry;
  }
}

function toBase64(bytes: Bytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function toBytes(base64: string): Bytes {
  // A copy: the pool of Node's buffers would stay in memory with it.
  return Uint8Array.from(Buffer.from(base64, 'base64'));
}
