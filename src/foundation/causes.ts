/** Where a connection was to lead, and what decides its way. */
export interface Way {
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version of Node.js, which decides whether it knows proxies. */
  readonly node?: string;
  /** How to start what nothing listens for. */
  readonly start?: string;
  /** What a program has in a database. */
  readonly tables?: Tables;
}

/** What a program has in a database, and who makes it: parts of sentences. */
export interface Tables {
  readonly name: string;
  /** What to do if they are missing, or are not as this version needs them. */
  readonly make: string;
  /** What to do if the role has too few rights. */
  readonly grant: string;
}

/**
 * What a failure means for what follows. `lost`: the connection is of no more use, and another one can work. `busy`: the connection
 * works, and another try can succeed. `refused`: it fails again until a person changes something.
 */
export type CauseKind = 'lost' | 'busy' | 'refused';

/** What a code says, and what to do. Where a code has several causes, `words` of the message tell them apart. */
type Cause = readonly [
  codes: RegExp,
  kind: CauseKind,
  happened: string | ((way: Way) => string),
  remedy: string | ((way: Way) => string),
  words?: RegExp,
];

const correctUrl = 'Correct the host and the port in the URL.';
const checkNetwork = 'Check the network, the VPN and the firewalls between.';
const correctClock = 'Set the clock of this machine, if it is wrong. Else renew the certificate.';
const byItself = 'The next request connects again.';
const fewerConnections = 'or lower --pool-size (poolSize) of the servers.';

/** The causes of a certificate that is not accepted, and of TLS, by the codes of OpenSSL and Node.js. */
const ofTls: readonly Cause[] = [
  [
    /^(UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED|INVALID_CA)$/,
    'refused',
    'Its certificate leads to an authority that Node.js does not trust, such as that of a company',
    (way) => trusting(way, "that authority's root certificate"),
  ],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    'refused',
    'Its certificate is self-signed',
    (way) => trusting(way, 'that certificate'),
  ],
  [/^CERT_HAS_EXPIRED$/, 'refused', 'Its certificate has expired', correctClock],
  [/^CERT_NOT_YET_VALID$/, 'refused', 'Its certificate is not valid yet', correctClock],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    'refused',
    'Its certificate is for another host',
    correctUrl,
  ],
  [
    /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_)/,
    'refused',
    'Its certificate was not accepted',
    'Renew the certificate.',
  ],
  [
    /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST)$/,
    'refused',
    'It does not speak TLS at that port',
    (way) =>
      isDatabase(way)
        ? 'Remove sslmode from the URL if it has no TLS, or correct the port.'
        : 'Write http:// if it has no TLS, or correct the port.',
  ],
  [
    /^NO_TLS$/,
    'refused',
    'It has no TLS, and the URL asks for it',
    'Set ssl = on in its configuration, or remove sslmode from the URL.',
  ],
  [
    /^ERR_SSL_/,
    'refused',
    'It and Node.js have no version or cipher of TLS in common, or it wants a certificate of the client',
    (way) =>
      isDatabase(way)
        ? 'Update it, name sslcert and sslkey in the URL, or correct the port.'
        : 'Update the server, or correct the port.',
  ],
];

/** The causes of a way that leads nowhere, by the codes of Node.js and undici. */
const ofNetwork: readonly Cause[] = [
  [/^ENOTFOUND$/, 'lost', 'Its host name has no address', 'Correct the host in the URL.'],
  [/^EAI_AGAIN$/, 'lost', 'The name server does not respond', 'Check the network, and try again.'],
  [
    /^ECONNREFUSED$/,
    'lost',
    'Nothing listens at that host and port',
    ({ start = 'Start it, or correct the URL.' }) => start,
  ],
  [
    /^ENOENT$/,
    'lost',
    'Its folder has no socket with that port',
    'Start it, or correct the host in the URL: unix_socket_directories names the folder.',
    /^connect /,
  ],
  [
    /^(ENOENT|EISDIR)$/,
    'refused',
    'A file that the URL names cannot be read',
    'Correct sslrootcert, sslcert or sslkey in the URL.',
  ],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'lost', 'It did not take the connection in time', checkNetwork],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/,
    'lost',
    'No route leads to its address',
    checkNetwork,
  ],
  [
    /^(EACCES|EPERM)$/,
    'refused',
    'The user of this process may not use its socket',
    'Give that user access: unix_socket_permissions and unix_socket_group of PostgreSQL decide it.',
    /^connect \w+ \//,
  ],
  [
    /^(EACCES|EPERM)$/,
    'refused',
    'A file that the URL names may not be read',
    'Give the user of this process the right to read it.',
    /, open /,
  ],
  [/^(EACCES|EPERM)$/, 'lost', 'This machine forbids the connection', 'Check its firewall or sandbox.'],
  [
    /^(EMFILE|ENFILE)$/,
    'lost',
    'This machine can open no more files',
    'Raise its limit (ulimit -n), or look for what holds them.',
  ],
  [
    /^(ECONNRESET|ECONNABORTED|UND_ERR_SOCKET|EPIPE|HPE_\w+)$/,
    'lost',
    'It cut the connection, or speaks another protocol',
    (way) => {
      if (way.url.startsWith('http:')) return 'Write https:// if that port speaks TLS. Else look at its log.';
      const between = isDatabase(way) ? 'pooler' : 'proxy';
      return `Try again. If that does not help, look at its log, and at the ${between} or firewall between.`;
    },
  ],
  [
    /^(UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|QUERY_TIMEOUT)$/,
    'lost',
    'It took the request, and did not respond in time',
    'Look at its log.',
  ],
];

/** The causes of a PgBouncer that refuses. Their code, 08P01, has all of them. They go before those of PostgreSQL. */
const ofPgbouncer: readonly Cause[] = [
  [
    /^(08P01|53300)$/,
    'lost',
    'PgBouncer takes no more clients',
    `Raise its max_client_conn, ${fewerConnections}`,
    /^no more connections allowed/,
  ],
  [
    /^(08P01|58000)$/,
    'lost',
    'PgBouncer cannot log in to PostgreSQL',
    'Look at its log. Correct the password in its auth_file, or the address in its [databases].',
    /server login|server_login_retry|cannot connect to server|^password authentication failed/,
  ],
  [
    /^(08P01|57014)$/,
    'lost',
    'PgBouncer had no free session of PostgreSQL in time',
    `Raise its default_pool_size, ${fewerConnections}`,
    /query_wait_timeout/,
  ],
  [
    /^(08P01|3D000)$/,
    'refused',
    'PgBouncer does not know the database',
    'Add it to its [databases], or correct its name in the URL.',
    /^no such database/,
  ],
  [
    /^(08P01|28P01|28000)$/,
    'refused',
    'PgBouncer refuses the role',
    'Add it to its auth_file, or correct the URL.',
    /^no such user|^(bouncer config error|SASL authentication failed|login rejected|wrong password type)/,
  ],
  [
    /^08P01$/,
    'refused',
    'PgBouncer accepts connections with TLS only',
    'Add sslmode=verify-full to the URL.',
    /^SSL required/,
  ],
  [
    /^08P01$/,
    'refused',
    'PgBouncer refuses a parameter of the connection',
    'Remove it from the URL, or add it to its ignore_startup_parameters.',
    /^unsupported startup parameter/,
  ],
  [
    /^(08P01|57P0[13])$/,
    'lost',
    'PgBouncer pauses the database, or ends',
    'Run RESUME in its console, or start it.',
    /pause|suspend|bouncer|database (is disabled|does not allow)/,
  ],
  [
    /^(26000|42P05)$/,
    'refused',
    'A pooler gives the statements of one connection to changing sessions',
    'Use its session mode (PgBouncer: pool_mode = session), or connect to PostgreSQL directly.',
    /^prepared statement/,
  ],
];

/** The causes of a role or a database that PostgreSQL does not accept, by the codes of PostgreSQL. */
const ofLogin: readonly Cause[] = [
  [/^28P01$/, 'refused', 'PostgreSQL wants a password, and there is none', 'Add it to the URL.', /^SASL/],
  [/^28P01$/, 'refused', 'PostgreSQL rejects the role or its password', 'Correct them in the URL.'],
  [
    /^28000$/,
    'refused',
    'The role may not log in',
    'Run ALTER ROLE … LOGIN, or name another role in the URL.',
    /not permitted to log in/,
  ],
  [
    /^28000$/,
    'refused',
    'The role does not exist',
    'Create it, or correct it in the URL.',
    /^role .* does not/,
  ],
  [
    /^28000$/,
    'refused',
    'pg_hba.conf accepts no connection without TLS',
    'Add sslmode=verify-full to the URL.',
    /pg_hba\.conf.*no encryption|connection requires.*SSL/,
  ],
  [
    /^28000$/,
    'refused',
    'pg_hba.conf does not accept this role from this machine',
    'Add a line for it and reload PostgreSQL, or correct the URL.',
    /pg_hba\.conf/,
  ],
  [/^28\w{3}$/, 'refused', 'PostgreSQL refuses the role', 'Correct it in the URL, or change pg_hba.conf.'],
  [/^3D000$/, 'refused', 'The database does not exist', 'Create it, or correct its name in the URL.'],
  [
    /^55000$/,
    'refused',
    'The database is closed to connections',
    'Run ALTER DATABASE … ALLOW_CONNECTIONS true.',
    /not currently accepting connections/,
  ],
  [
    /^55000$/,
    'refused',
    'An interrupted DROP DATABASE left the database unusable',
    'Drop it, and restore a backup.',
    /invalid database/,
  ],
  [
    /^42501$/,
    'refused',
    'The role may not connect to the database',
    'Run GRANT CONNECT ON DATABASE … TO the role.',
    /for database "/, // without quotes, it is about CREATE
  ],
  [
    /^53300$/,
    'lost',
    'The role has all connections that its limit allows',
    `Run ALTER ROLE … CONNECTION LIMIT, ${fewerConnections}`,
    /for role/,
  ],
  [
    /^53300$/,
    'lost',
    'The database has all connections that its limit allows',
    `Run ALTER DATABASE … CONNECTION LIMIT, ${fewerConnections}`,
    /for database/,
  ],
  [/^53300$/, 'lost', 'PostgreSQL has no connection left', `Raise its max_connections, ${fewerConnections}`],
];

/** The causes of a server that goes, comes or only reads, by the codes of PostgreSQL. */
const ofServer: readonly Cause[] = [
  [
    /^57P03$/,
    'lost',
    'It is a standby that takes no connections',
    'Name the primary server in the URL, or set hot_standby = on there.',
    /not accepting connections|standby/,
  ],
  [/^57P03$/, 'lost', 'PostgreSQL starts, stops or recovers', 'Wait. If it lasts, look at its log.'],
  [
    /^25006$/,
    'lost',
    'It is a standby, which is read-only',
    'Name the primary server in the URL, or promote this one.',
    /recovery|standby/,
  ],
  [
    /^25006$/,
    'lost',
    'The database is read-only: it is a standby, or default_transaction_read_only is on',
    'Name the primary server in the URL, or set default_transaction_read_only = off for the database or the role.',
  ],
  [/^57P01$/, 'lost', 'An administrator ended the connection, or PostgreSQL stops', byItself],
  [/^57P02$/, 'lost', 'PostgreSQL ended the connection because another session crashed', 'Look at its log.'],
  [/^57P04$/, 'lost', 'The database was dropped', 'Create it, or correct its name in the URL.'],
  [
    /^25P03$/,
    'lost',
    'A transaction waited for this process for longer than idle_in_transaction_session_timeout',
    'Look for what blocks this process or uses its CPU.',
  ],
  [
    /^(25P04|57P05)$/,
    'lost',
    'PostgreSQL ended the session by transaction_timeout or idle_session_timeout',
    'Raise that limit for the role.',
  ],
  [/^08\w{3}$/, 'lost', 'The connection broke', byItself],
  [
    /^0A000$/,
    'lost',
    'A table was changed after this connection prepared its statements',
    byItself,
    /^cached plan must not change/,
  ],
  [
    /^POOL_TIMEOUT$/,
    'lost',
    'Each connection of this server was in use for too long',
    'Raise --pool-size (poolSize), or look for slow statements and locks in pg_stat_activity.',
  ],
  [/^POOL_ENDED$/, 'lost', 'The pool was ended', 'End it after the server.'],
];

/** The causes of a statement that fails, by the codes of PostgreSQL. */
const ofStatement: readonly Cause[] = [
  [
    /^57014$/,
    'busy',
    'An administrator cancelled the statement',
    'You need not do anything.',
    /user request/,
  ],
  [
    /^57014$/,
    'busy',
    'A statement took longer than statement_timeout',
    'Look for locks and slow statements in pg_stat_activity.',
  ],
  [
    /^55P03$/,
    'busy',
    'A statement waited for a lock for longer than lock_timeout',
    'Look for its holder in pg_locks.',
  ],
  [
    /^(40P01|40001)$/,
    'busy',
    'Transactions collided again and again',
    'Look for long ones in pg_stat_activity.',
  ],
  [/^53100$/, 'busy', 'The disk of the database is full', 'Free space on it, or add some.'],
  [
    /^53200$/,
    'busy',
    'PostgreSQL has no room left for locks',
    'Raise its max_locks_per_transaction.',
    /shared memory/,
  ],
  [
    /^53200$/,
    'busy',
    'PostgreSQL has no memory left',
    'Lower its work_mem or max_connections, or add memory.',
  ],
  [/^53\w{3}$/, 'busy', 'PostgreSQL reached a limit of its configuration', 'Look at its log.'],
  [/^58\w{3}$/, 'busy', 'PostgreSQL cannot read or write its files', 'Look at its log and its disk.'],
  [/^XX00[12]$/, 'refused', 'A file of the database is damaged', 'Restore a backup.'],
  [
    /^42501$/,
    'refused',
    ({ tables = aTable }) => `The role has too few rights on ${tables.name}`,
    ({ tables = aTable }) => tables.grant,
  ],
  [
    /^(42P01|3F000|42883)$/,
    'refused',
    ({ tables = aTable }) => `The database lacks ${tables.name}, or a part of it`,
    ({ tables = aTable }) => tables.make,
  ],
  [/^22021$/, 'refused', 'PostgreSQL cannot keep the character U+0000', 'Leave it out.'],
  [/^22P05$/, 'refused', 'The encoding of the database does not have all characters', 'Use one with UTF8.'],
  [/^54000$/, 'refused', 'A key is longer than PostgreSQL can index', 'Use shorter keys.'],
  [
    /^(22|23|42)\w{3}$/,
    'refused',
    ({ tables = aTable }) => `The database does not take what is written to ${tables.name}`,
    ({ tables = aTable }) => tables.make,
  ],
];

const aTable: Tables = {
  name: 'a table',
  make: 'Compare the table with what the program expects.',
  grant: 'Grant it what the program needs.',
};

/** All causes of a connection or a statement that fails. The first that fits says why. */
export const causes: readonly Cause[] = [
  ...ofTls,
  ...ofNetwork,
  ...ofPgbouncer,
  ...ofLogin,
  ...ofServer,
  ...ofStatement,
];

/** What to do about a certificate that Node.js does not trust. */
function trusting(way: Way, certificate: string): string {
  if (isDatabase(way)) return `Name a PEM file with ${certificate} in the URL: sslrootcert=FILE.`;
  const file = way.env.NODE_EXTRA_CA_CERTS;
  return file
    ? `NODE_EXTRA_CA_CERTS names ${file}, which cannot be read, or does not hold ${certificate}.`
    : `Set NODE_EXTRA_CA_CERTS to a PEM file with ${certificate}.`;
}

function isDatabase({ url }: Way): boolean {
  return /^postgres(ql)?:/.test(url);
}

/** The codes of messages that are all that is known of an error. */
const messages: readonly (readonly [words: RegExp, code: string])[] = [
  [/self-signed certificate in certificate chain/, 'SELF_SIGNED_CERT_IN_CHAIN'],
  [/self-signed certificate/, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  [/unable to get local issuer certificate/, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  [/unable to verify the first certificate/, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  [/certificate has expired/, 'CERT_HAS_EXPIRED'],
  [/certificate is not yet valid/, 'CERT_NOT_YET_VALID'],
  [/does not match certificate's altnames/, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [/wrong version number|packet length too long|http request/, 'EPROTO'],
  [/socket hang up|other side closed|Parse Error/, 'ECONNRESET'],
  // Those of pg, most of which have no code.
  [/^The server does not support SSL connections/, 'NO_TLS'],
  [/^SASL: .*password must be/, '28P01'],
  [/^(timeout expired|Connection terminated due to connection timeout)/, 'ETIMEDOUT'],
  [/^timeout exceeded when trying to connect/, 'POOL_TIMEOUT'],
  [/^Query read timeout/, 'QUERY_TIMEOUT'],
  [/^Cannot use a pool after calling end/, 'POOL_ENDED'],
  [
    /^(Connection terminated|Client (was closed|has encountered a connection error)|There was an error establishing an SSL connection)/,
    'ECONNRESET',
  ],
];

/** The code that a message has in it, or that it means. */
export function codeIn(text: string): string {
  const [, code] = messages.find(([words]) => words.test(text)) ?? [];
  return code ?? /\bE[A-Z]{4,}(?:_[A-Z]+)*\b/.exec(text)?.[0] ?? '';
}
