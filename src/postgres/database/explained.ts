import { isObject } from '../../foundation/is-object.js';
import { ConfigurationError } from '../../foundation/options.js';
import { isLostConnection } from './lost-connection.js';

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
  return new Error(`${what}: ${message}. ${remedy}`, { cause: error });
}

function fieldOf(error: unknown, name: 'code' | 'message'): string {
  const value = isObject(error) ? error[name] : undefined;
  return typeof value === 'string' ? value : '';
}
