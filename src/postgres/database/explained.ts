import { isObject } from '../../foundation/is-object.js';
import { isLostConnection } from './lost-connection.js';

/**
 * The error to throw when a store cannot begin: it says what happened and what to do. It never has the connection string,
 * which has the password.
 */
export function explained(error: unknown): unknown {
  const code = fieldOf(error, 'code');
  if (code === 'ERR_INVALID_URL') {
    // Without its cause, which has the string.
    return new TypeError(
      'The connectionString of the store is not a URL. Give one such as postgres://user:password@host:5432/database.',
    );
  }
  if (code === '28P01' || code === '28000') {
    return new Error(
      `PostgreSQL refuses the user or the password of the store: ${fieldOf(error, 'message')}. Check the connection string.`,
      { cause: error },
    );
  }
  if (code === '3D000') {
    return new Error(
      `The database of the store does not exist: ${fieldOf(error, 'message')}. Create it, or check the connection string.`,
      { cause: error },
    );
  }
  if (code === '42501') {
    return new Error(
      `The user of the store may not create its tables: ${fieldOf(error, 'message')}. Let it create schemas in the database, or run migrate() as a user who may.`,
      { cause: error },
    );
  }
  const reason = isObject(error) && isLostConnection(error.cause) ? error.cause : error;
  if (!isLostConnection(reason)) return error;
  return new Error(
    `PostgreSQL cannot be reached: ${fieldOf(reason, 'message') || fieldOf(reason, 'code')}. Check that it runs, and the host and port of the connection string.`,
    { cause: error },
  );
}

function fieldOf(error: unknown, name: 'code' | 'message'): string {
  const value = isObject(error) ? error[name] : undefined;
  return typeof value === 'string' ? value : '';
}
