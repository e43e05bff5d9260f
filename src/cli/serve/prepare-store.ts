import type { PostgresStore } from '../../postgres/index.js';
import { messageOf, reasonOf, UsageError, usable } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import { pause } from '../terminal/time.js';
import { defaultWaitForStore, type NamedStore, placeInWords } from './store-options.js';

/** How long to wait after a failed attempt, in milliseconds. */
const lookAgainAfter = 500;

export interface StorePreparation {
  readonly replica?: string | undefined;
  /** How long to wait for a database that does not answer yet. In milliseconds. */
  readonly waitForStore?: number | undefined;
  /** Ends the wait. */
  readonly stop: AbortSignal;
}

/**
 * Opens the store that the command line names, and updates its schema. Waits for a database that starts at the same time.
 * Resolves to `undefined` if `stop` aborted the wait.
 *
 * @throws UsageError if the database cannot be used, or does not answer.
 */
export async function prepareStore(
  { connectionString, place, namedBy }: NamedStore,
  { replica, waitForStore = defaultWaitForStore, stop }: StorePreparation,
  terminal: Terminal,
): Promise<PostgresStore | undefined> {
  // Imported on use, because it needs packages that are not installed otherwise.
  const { postgresStore } = await import('../../postgres/index.js');
  const store = usable(() => postgresStore({ connectionString, schema: place.schema, replica }));
  const { clock } = terminal;
  const end = clock.now() + waitForStore;
  let isReported = false;
  while (!stop.aborted) {
    try {
      await store.migrate();
      return store;
    } catch (error) {
      const where = placeInWords(place);
      if (!isOutOfReach(error)) throw new UsageError(`Cannot use ${where}: ${messageOf(error)}`);
      const reason = reasonOf(error);
      if (clock.now() >= end) {
        throw new UsageError(
          `No answer from ${where} within ${waitForStore / 1_000} s: ${reason}. Start it, or correct ${namedBy}.`,
        );
      }
      if (!isReported)
        terminal.complain(`Waiting for ${where}, for ${waitForStore / 1_000} s at most: ${reason}\n`);
      isReported = true;
      await pause(clock, Math.min(lookAgainAfter, Math.max(0, end - clock.now())), stop);
    }
  }
  return undefined;
}

/** Whether the error, or what caused it, is that the database does not answer. */
function isOutOfReach(error: unknown): boolean {
  const { name, cause }: { readonly name?: unknown; readonly cause?: unknown } = Object(error);
  return name === 'StoreUnavailableError' || (cause !== undefined && isOutOfReach(cause));
}
