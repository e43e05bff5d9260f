import { isObject } from '../../foundation/is-object.js';
import { ConfigurationError } from '../../foundation/options.js';
import { StoreBusyError, StoreUnavailableError } from '../../server/model/service-error.js';

/**
 * Error codes of Node and PostgreSQL. The class 08 is for connections, and 25P03 and 25P04 are timeouts that end the session.
 * 25006 comes from a server that became a standby: only a new connection can reach the primary.
 */
const lost =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|EMFILE|ENFILE|57P0[1-5]|25P0[34]|25006|53300|08\w{3})$/;

/** Messages of `pg` errors without a code, and of one whose code has other causes, too. A new connection has no cached plan. */
const lostInWords =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|timeout expired|Cannot use a pool after calling end|Client (was closed|has encountered a connection error)|There was an error establishing an SSL connection|cached plan must not change result type)/;

/** A timeout of a statement or a lock, a deadlock, a conflict of transactions, and the class 53: no disk or memory left. */
const busy = /^(57014|55P03|40P01|40001|53\w{3})$/;

/** Whether the connection is of no more use: it is lost, or was refused. */
export function isLostConnection(error: unknown): boolean {
  return lost.test(fieldOf(error, 'code')) || lostInWords.test(fieldOf(error, 'message'));
}

/** Converts an error of `pg` that another try may not have: to a `StoreUnavailableError`, or to a `StoreBusyError`. */
export function translated(error: unknown): unknown {
  const isLost = isLostConnection(error);
  if (!isLost && !busy.test(fieldOf(error, 'code'))) return error;
  const unavailable = isLost ? new StoreUnavailableError() : new StoreBusyError();
  unavailable.cause = error;
  return unavailable;
}

/** Whether the database aborted the transaction in favor of another one, so that it can be repeated. */
export function isGivenUp(error: unknown): boolean {
  return /^(40P01|40001)$/.test(fieldOf(error, 'code'));
}

/**
 * Whether a statement for many callers fails for each of them alone, too: without a connection, and if it took too long. After
 * deadlocks, a smaller statement can succeed.
 */
export function failsForEach(error: unknown): boolean {
  return error instanceof StoreUnavailableError && !isGivenUp(error.cause);
}

/** Whether a row with this key already exists. `key` is the name of the constraint. */
export function isDuplicate(error: unknown, key: string): boolean {
  return fieldOf(error, 'code') === '23505' && fieldOf(error, 'constraint') === key;
}

const rejected = [
  'PostgreSQL rejects the user or the password of the store',
  'Check the connection string.',
] as const;

/** What an error code of PostgreSQL means at the start, and what to do. */
const known: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  '28P01': rejected,
  '28000': rejected,
  '3D000': ['The database of the store does not exist', 'Create it, or check the connection string.'],
  '42501': [
    'The user of the store is not allowed to create its tables',
    'Allow it to create schemas in the database, create both schemas for it, or run migrate() as another user and grant the user of the store what the guide lists.',
  ],
  '25006': ['The database of the store is read-only', 'Connect to the primary server, not to a standby.'],
};

const unreachable = [
  'PostgreSQL cannot be reached',
  'Check that it is running, and check the host and the port in the connection string.',
] as const;

/**
 * Converts the error of a store that cannot start: the message says what happened and what to do. It never contains the
 * connection string, because that contains the password.
 */
export function explained(error: unknown): unknown {
  const code = fieldOf(error, 'code');
  if (code === 'ERR_INVALID_URL') {
    // Without its cause, which has the string.
    return new ConfigurationError(
      'The connectionString of the store is not a URL. Use a URL such as postgres://user:password@host:5432/database.',
    );
  }
  const reason = isObject(error) && isLostConnection(error.cause) ? error.cause : error;
  const found = known[code] ?? (isLostConnection(reason) ? unreachable : undefined);
  if (found === undefined) return error;
  const [what, remedy] = found;
  const message = fieldOf(reason, 'message') || fieldOf(reason, 'code');
  // What waits for the database knows a StoreUnavailableError. The library of the jobs has a pool of its own, which throws others.
  const cause = error instanceof StoreUnavailableError ? error : translated(reason);
  return new Error(`${what}: ${message}. ${remedy}`, { cause });
}

function fieldOf(error: unknown, name: 'code' | 'message' | 'constraint'): string {
  const value = isObject(error) ? error[name] : undefined;
  return typeof value === 'string' ? value : '';
}
