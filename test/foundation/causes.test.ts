import { expect, test } from 'vitest';
import { causes } from '../../src/foundation/causes.js';
import { explainConnection } from '../../src/foundation/connection-causes.js';

const way = { url: 'postgres://host/db', env: {} };

/** What databases, poolers and sockets say, what it means for what follows, and some words of the cause. */
test.each([
  ['28P01', 'password authentication failed for user "a"', 'refused', 'rejects the role or its password'],
  ['', 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', 'refused', 'wants a password'],
  ['28000', 'role "a" is not permitted to log in', 'refused', 'ALTER ROLE … LOGIN'],
  ['28000', 'role "a" does not exist', 'refused', 'The role does not exist'],
  [
    '28000',
    'no pg_hba.conf entry for host "h", user "a", database "d", no encryption',
    'refused',
    'without TLS',
  ],
  [
    '28000',
    'pg_hba.conf rejects connection for host "h", user "a", SSL encryption',
    'refused',
    'from this machine',
  ],
  ['28000', 'another reason', 'refused', 'refuses the role'],
  ['3D000', 'database "d" does not exist', 'refused', 'The database does not exist'],
  ['55000', 'database "d" is not currently accepting connections', 'refused', 'ALLOW_CONNECTIONS'],
  ['55000', 'cannot connect to invalid database "d"', 'refused', 'interrupted DROP DATABASE'],
  ['42501', 'permission denied for database "d"', 'refused', 'GRANT CONNECT'],
  ['42501', 'permission denied for database d', 'refused', 'too few rights'],
  ['53300', 'too many connections for role "a"', 'lost', 'ALTER ROLE … CONNECTION LIMIT'],
  ['53300', 'too many connections for database "d"', 'lost', 'ALTER DATABASE … CONNECTION LIMIT'],
  ['53300', 'sorry, too many clients already', 'lost', 'max_connections'],
  ['57P03', 'the database system is starting up', 'lost', 'starts, stops or recovers'],
  ['57P03', 'the database system is not accepting connections', 'lost', 'hot_standby = on'],
  [
    '25006',
    'cannot execute INSERT in a read-only transaction',
    'lost',
    'default_transaction_read_only = off',
  ],
  ['25006', 'cannot assign TransactionIds during recovery', 'lost', 'promote this one'],
  ['57P01', 'terminating connection due to administrator command', 'lost', 'administrator ended'],
  ['57P02', 'terminating connection because of crash', 'lost', 'another session crashed'],
  ['57P04', 'terminating connection due to dropped database', 'lost', 'was dropped'],
  ['25P04', 'terminating connection due to transaction timeout', 'lost', 'transaction_timeout'],
  ['08006', 'connection failure', 'lost', 'connection broke'],
  ['0A000', 'cached plan must not change result type', 'lost', 'table was changed'],
  ['08P01', 'no more connections allowed (max_client_conn)', 'lost', 'max_client_conn'],
  ['08P01', 'server login has been failing, try again later (server_login_retry)', 'lost', 'auth_file'],
  ['08P01', 'query_wait_timeout', 'lost', 'default_pool_size'],
  ['08P01', 'no such database: d', 'refused', '[databases]'],
  ['08P01', 'SSL required', 'refused', 'TLS only'],
  ['08P01', 'unsupported startup parameter: options', 'refused', 'ignore_startup_parameters'],
  ['08P01', 'bouncer is shutting down', 'lost', 'RESUME'],
  ['26000', 'prepared statement "x" does not exist', 'refused', 'pool_mode = session'],
  ['42P05', 'prepared statement "x" already exists', 'refused', 'pool_mode = session'],
  ['53100', 'could not extend file', 'busy', 'Free space'],
  ['53200', 'out of memory', 'busy', 'add memory'],
  ['53200', 'out of shared memory', 'busy', 'max_locks_per_transaction'],
  ['58030', 'could not fsync file', 'busy', 'its disk'],
  ['XX001', 'invalid page', 'refused', 'Restore a backup'],
  ['57014', 'canceling statement due to statement timeout', 'busy', 'statement_timeout'],
  ['57014', 'canceling statement due to user request', 'busy', 'administrator cancelled'],
  ['55P03', 'canceling statement due to lock timeout', 'busy', 'lock_timeout'],
  ['40P01', 'deadlock detected', 'busy', 'collided'],
  ['42P01', 'relation "t" does not exist', 'refused', 'lacks a table'],
  ['3F000', 'schema "s" does not exist', 'refused', 'lacks a table'],
  ['ENOENT', 'connect ENOENT /run/.s.PGSQL.5432', 'lost', 'no socket'],
  ['ENOENT', "ENOENT: no such file or directory, open '/ca.pem'", 'refused', 'sslrootcert'],
  ['EACCES', 'connect EACCES /run/.s.PGSQL.5432', 'refused', 'unix_socket_permissions'],
  ['EACCES', "EACCES: permission denied, open '/ca.pem'", 'refused', 'the right to read it'],
  ['EACCES', 'connect EACCES 10.0.0.1:5432', 'lost', 'forbids the connection'],
  ['EMFILE', 'connect EMFILE', 'lost', 'ulimit'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'refused', 'sslrootcert=FILE'],
  ['', 'The server does not support SSL connections', 'refused', 'ssl = on'],
  ['', 'timeout exceeded when trying to connect', 'lost', '--pool-size'],
  ['', 'Connection terminated due to connection timeout', 'lost', 'in time (ETIMEDOUT)'],
  ['', 'Query read timeout', 'lost', 'did not respond in time'],
])('%s %s is %s: %s', (code, message, kind, words) => {
  const error = Object.assign(new Error(message), code === '' ? {} : { code });
  const { kind: found, sentences, inFull } = explainConnection(error, way);
  expect(found).toBe(kind);
  expect(sentences).toContain(words);
  expect(sentences).not.toContain(message);
  expect(inFull).toMatch(/^\S.*\S \(\w+(: .+)?\)\. \S.*\.$/);
});

test('the words of a pg timeout count, and not what was cut by it', () => {
  const cut = new Error('Connection terminated unexpectedly');
  const error = new Error('Connection terminated due to connection timeout', { cause: cut });
  expect(explainConnection(error, way).code).toBe('ETIMEDOUT');
});

test('each cause says what happened and what to do, in sentences', () => {
  const said = (part: (typeof causes)[number][2]) => (typeof part === 'string' ? part : part(way));
  for (const [, , happened, remedy] of causes) {
    expect(said(happened)).toMatch(/^\S.*[^.]$/);
    expect(said(remedy)).toMatch(/^\S.*\.$/);
  }
});
