import type { AttemptEntry, DeliveryRecord, JournalEntry, RequestEntry } from '../server/index.js';

/** An entry of the journal as the control surface gives it: with its number, and with text in place of bytes. */
export type ToldEntry = { readonly number: number } & (
  | Exclude<JournalEntry, RequestEntry | AttemptEntry>
  | (Omit<RequestEntry, 'body'> & { readonly body?: string })
  | (Omit<AttemptEntry, 'delivery'> & {
      readonly delivery: Omit<DeliveryRecord, 'body'> & { readonly body: string };
    })
);
