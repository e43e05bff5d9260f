import { isObject } from '../../foundation/is-object.js';
import { ConfigurationError } from '../../foundation/options.js';
import { isLostConnection } from './lost-connection.js';

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
  if (code === '28P01' || code === '28000') {
    return new Error(
      `PostgreSQL rejects the user or the password of the store: ${fieldOf(error, 'message')}. Check the connection string.`,
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
      `The user of the store is not allowed to create its tables: ${fieldOf(error, 'message')}. Allow it to create schemas in the database, create both schemas for it, or run migrate() as another user and grant the user of the store what the guide lists.`,
      { cause: error },
    );
  }
  if (code === '25006') {
    return new Error(
      `The database of the store is read-only: ${fieldOf(error, 'message')}. Connect to the primary server, not to a standby.`,
      { cause: error },
    );
  }
  const reason = isObject(error) && isLostConnection(error.cause) ? error.cause : error;
  if (!isLostConnection(reason)) return error;
  return new Error(
    `PostgreSQL cannot be reached: ${fieldOf(reason, 'message') || fieldOf(reason, 'code')}. Check that it is running, and check the host and the port in the connection string.`,
    { cause: error },
  );
}

function fieldOf(error: unknown, name: 'code' | 'message'): string {
  const value = isObject(error) ? error[name] : undefined;
  return typeof value === 'string' ? value : '';
}
