import { isObject } from '../../foundation/is-object.js';
import { StoreUnavailableError } from '../../server/model/service-error.js';

/** Error codes of Node and PostgreSQL. The class 08 is for connections. */
const lost =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|57P0[1-5]|53300|08\w{3})$/;

/** Messages of `pg` errors without a code. */
const lostInWords =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|timeout expired|Cannot use a pool after calling end|Client (was closed|has encountered a connection error))/;

/** Whether the error is about a lost or refused connection, not about the statement. */
export function isLostConnection(error: unknown): boolean {
  const { code, message } = wordsOf(error);
  return lost.test(code) || lostInWords.test(message);
}

/** Converts an error of `pg` to a `StoreUnavailableError` if the connection was lost or refused. */
export function translated(error: unknown): unknown {
  if (!isLostConnection(error)) return error;
  const unavailable = new StoreUnavailableError();
  unavailable.cause = error;
  return unavailable;
}

/** Whether the database aborted the transaction in favor of another one, so that it can be repeated. */
export function isGivenUp(error: unknown): boolean {
  return /^(40P01|40001)$/.test(wordsOf(error).code);
}

/** Whether a row with this key already exists. */
export function isDuplicate(error: unknown): boolean {
  return wordsOf(error).code === '23505';
}

function wordsOf(error: unknown): { readonly code: string; readonly message: string } {
  if (!isObject(error)) return { code: '', message: '' };
  const { code, message } = error;
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message : '',
  };
}
