import type { JournalEntry } from '../model/journal-entry.js';

/** An entry of the journal with its number. */
export type NumberedEntry = JournalEntry & {
  /** 1 for the first entry of the workspace. */
  readonly number: number;
};

/**
 * Text that reproduces an entry of the journal. No text contains an API key or a signing secret.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type EntryCopies } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
 * const { copies } = await server.journal.inspect(1);
 * const { code }: EntryCopies = copies;
 * console.log(code); // await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
 * ```
 */
export interface EntryCopies {
  /** A curl command that repeats the entry. It reads the key from `MESSAGING_AUTOMATION_API_KEY`. */
  readonly curl: string;
  /** Code that repeats the entry: a call of the client or of the reference server. */
  readonly code: string;
  /**
   * A test that repeats the entry and asserts that it happens. It loads the workspace from `seed.json`: the result of
   * `seed()` or of `GET /control/seed`.
   */
  readonly test: string;
}

/** An entry of the journal, with what caused it and what it caused. */
export interface EntryInspection {
  readonly number: number;
  readonly entry: NumberedEntry;
  /** The entries that caused it and that are still in the journal. */
  readonly causes: readonly NumberedEntry[];
  /** The first 50 entries that it caused, oldest first. */
  readonly effects: readonly NumberedEntry[];
  readonly copies: EntryCopies;
}
