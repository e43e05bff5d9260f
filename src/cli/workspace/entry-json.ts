import type { AttemptEntry, DeliveryRecord, JournalEntry, RequestEntry } from '../../server/index.js';

/** An entry of the journal as the control surface returns it: with its number, and with bodies as text. */
export type EntryJson = { readonly number: number } & (
  | Exclude<JournalEntry, RequestEntry | AttemptEntry>
  | (Omit<RequestEntry, 'body'> & { readonly body?: string })
  | (Omit<AttemptEntry, 'delivery'> & {
      readonly delivery: Omit<DeliveryRecord, 'body'> & { readonly body: string };
    })
);
