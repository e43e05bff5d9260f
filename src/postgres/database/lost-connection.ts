import { isObject } from '../../foundation/is-object.js';
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
  const { code, message } = wordsOf(error);
  return lost.test(code) || lostInWords.test(message);
}

/** Converts an error of `pg` that another try may not have: to a `StoreUnavailableError`, or to a `StoreBusyError`. */
export function translated(error: unknown): unknown {
  const isLost = isLostConnection(error);
  if (!isLost && !busy.test(wordsOf(error).code)) return error;
  const unavailable = isLost ? new StoreUnavailableError() : new StoreBusyError();
  unavailable.cause = error;
  return unavailable;
}

/** Whether the database aborted the transaction in favor of another one, so that it can be repeated. */
export function isGivenUp(error: unknown): boolean {
  return /^(40P01|40001)$/.test(wordsOf(error).code);
}

/**
 * Whether a statement for many callers fails for each of them alone, too: without a connection, and if it took too long. After
 * deadlocks, a smaller statement can succeed.
 */
export function failsForEach(error: unknown): boolean {
  return error instanceof StoreUnavailableError && !isGivenUp(error.cause);
}

/** Whether a row with this key already exists. `key` is the name of the constraint: default any. */
export function isDuplicate(error: unknown, key?: string): boolean {
  return (
    wordsOf(error).code === '23505' && (key === undefined || Reflect.get(Object(error), 'constraint') === key)
  );
}

function wordsOf(error: unknown): { readonly code: string; readonly message: string } {
  if (!isObject(error)) return { code: '', message: '' };
  const { code, message } = error;
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message : '',
  };
}
