/** A database that a URL names. */
export interface DatabaseUrl {
  /** The host, with its port, or the folder of a socket. */
  readonly host: string;
  readonly database: string;
}

/**
 * Reads the URL of a PostgreSQL database as `pg` does: the host can be missing, also after a user, where `?host=` names the folder of a
 * socket. Undefined if it is none.
 */
export function databaseUrl(text: string): DatabaseUrl | undefined {
  if (!/^postgres(ql)?:\/\//.test(text)) return undefined;
  // A URL with a user needs a host.
  const withHost = text.replace(/^([^/]*\/\/[^/?#]*@)(?=\/)/, `$1${noHost}`);
  if (!URL.canParse(withHost)) return undefined;
  const { host, pathname, search, hash, searchParams, username } = new URL(withHost);
  // After an unencoded / in a password, the rest of it looks like a path.
  if ((pathname + search + hash).includes('@')) return undefined;
  try {
    return {
      host: searchParams.get('host') || decodeURIComponent(host === noHost ? '' : host) || 'localhost',
      database: decodeURIComponent(pathname.slice(1) || username || 'postgres'),
    };
  } catch {
    return undefined; // a % that escapes nothing
  }
}

const noHost = 'no-host';
