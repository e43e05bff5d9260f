/** What a `fetch` rejects with where the connection breaks: as Node's own does. */
export function connectionReset(): TypeError {
  const cause = Object.assign(new Error('The connection was reset by an injected fault.'), {
    code: 'ECONNRESET',
  });
  return new TypeError('fetch failed', { cause });
}

/** Told by its shape, not its class, since there may be two copies of this package. */
export function isConnectionReset(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    error.cause instanceof Error &&
    Reflect.get(error.cause, 'code') === 'ECONNRESET'
  );
}
