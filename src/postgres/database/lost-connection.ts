import { isObject } from '../../foundation/is-object.js';
import { StoreUnavailableError } from '../../server/model/service-error.js';

/** Codes of Node and of PostgreSQL. The class 08 is that of connections. */
const lost =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|57P0[1-5]|53300|08\w{3})$/;

/** What `pg` says without a code. */
const lostInWords =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|timeout expired|Cannot use a pool after calling end|Client (was closed|has encountered a connection error))/;

/** Whether the error tells of a connection that was lost or refused, and not of the statement. */
export function isLostConnection(error: unknown): boolean {
  const { code, message } = wordsOf(error);
  return lost.test(code) || lostInWords.test(message);
}

/** The error to throw in the place of one of `pg`: a `StoreUnavailableError` if the connection was lost or refused. */
export function translated(error: unknown): unknown {
  if (!isLostConnection(error)) return error;
  const unavailable = new StoreUnavailableError();
  unavailable.cause = error;
  return unavailable;
}

/** Whether the database gave the transaction up in favour of another one: it can be repeated. */
export function isGivenUp(error: unknown): boolean {
  return /^(40P01|40001)$/.test(wordsOf(error).code);
}

/** Whether a row of this key exists already. */
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
