/** The error of a `fetch` whose connection breaks, as in Node. */
export function connectionReset(): TypeError {
  const cause = Object.assign(new Error('The connection was reset by an injected fault.'), {
    code: 'ECONNRESET',
  });
  return new TypeError('fetch failed', { cause });
}

/** Checks the shape, not the class, because two copies of this package may exist. */
export function isConnectionReset(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    error.cause instanceof Error &&
    Reflect.get(error.cause, 'code') === 'ECONNRESET'
  );
}
