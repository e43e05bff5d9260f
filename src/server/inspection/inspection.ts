import type { JournalEntry } from '../model/journal-entry.js';

/**
 * An entry of the journal with its number.
 *
 * @example
 * ```ts
 * import type { NumberedEntry } from 'messaging-automation/server';
 *
 * const describe = ({ number, type }: NumberedEntry) => `${number}: ${type}`;
 * ```
 */
export type NumberedEntry = JournalEntry & {
  /** 1 for the first entry of the workspace. */
  readonly number: number;
};

/**
 * An entry of the journal as text to take away. No text has an API key or a signing secret.
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
  /** A curl command that does it again. It reads the key from `MESSAGING_AUTOMATION_API_KEY`. */
  readonly curl: string;
  /** Code that does it again: a call of the SDK, or of the reference server. */
  readonly code: string;
  /**
   * A test that does it again and asserts that it happens. It begins with the workspace in `seed.json`, which is the
   * result of `seed()` or of `GET /control/seed`.
   */
  readonly test: string;
}

/**
 * An entry of the journal, with what caused it and what it caused.
 *
 * @example
 * ```ts
 * import type { EntryInspection } from 'messaging-automation/server';
 *
 * const describe = ({ entry, effects }: EntryInspection) => `${entry.type}, which caused ${effects.length} entries`;
 * ```
 */
export interface EntryInspection {
  readonly number: number;
  readonly entry: NumberedEntry;
  /** The entries that caused it, as far as the journal still has them. */
  readonly causes: readonly NumberedEntry[];
  /** The first 50 entries that it caused, oldest first. */
  readonly effects: readonly NumberedEntry[];
  readonly copies: EntryCopies;
}
