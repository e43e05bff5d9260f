import { StoreCause, StoreUnavailableError } from '../../server/model/service-error.js';
import type { PostgresClient } from '../options.js';
import { type Database, listeners } from './connection.js';
import { longestConnecting } from './own-pool.js';

/** The least number of connections with which a replica works. With fewer, its statements would wait for ever. */
export const fewestConnections = listeners + 1;

/** A statement that needs a session. */
const nothing = { text: 'select', query_timeout: longestConnecting };

/**
 * Does work with so many connections at once, without the settings of the store.
 *
 * @throws StoreUnavailableError that names the number, if the database or a pooler gives fewer.
 */
export async function withFewestConnections(
  database: Database,
  work: (one: PostgresClient, other: PostgresClient) => Promise<void>,
): Promise<void> {
  const taken: PostgresClient[] = [];
  let given = 0;
  try {
    for (; given < fewestConnections; given += 1) {
      const client = await database.connectAsIs();
      taken.push(client);
      // A pooler accepts a connection before it has a session for it.
      await client.query(nothing);
    }
    const [one, other] = taken;
    if (one !== undefined && other !== undefined) await work(one, other);
  } catch (error) {
    throw given > 0 && given < fewestConnections
      ? tooFew(given, database.failures.ofStatement(error))
      : error;
  } finally {
    for (const client of taken) client.release(given < fewestConnections);
  }
}

function tooFew(given: number, error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError) || error.reason === undefined) return error;
  const { code, message, inPublic } = error.reason;
  const number = `The database gives this server ${given} of the ${fewestConnections} connections that it needs: two listen, and one is for statements.`;
  const refused = new StoreUnavailableError();
  refused.reason = new StoreCause({
    code,
    message: `${number} ${message}`,
    inPublic: `${number} ${inPublic}`,
  });
  return refused;
}
