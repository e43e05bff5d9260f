/** The error of a `fetch` whose connection breaks, as in Node. */
export function connectionReset(): TypeError {
  const cause = Object.assign(new Error('The connection was reset by an injected fault.'), {
    code: 'ECONNRESET',
  });
  return new TypeError('fetch failed', { cause });
}

/** Checks the shape, not the class: another realm, or another copy of this package, has its own classes. */
export function isConnectionReset(error: unknown): boolean {
  const cause: unknown = Reflect.get(Object(error), 'cause');
  return Reflect.get(Object(cause), 'code') === 'ECONNRESET';
}
